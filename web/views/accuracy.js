/** "How accurate is this?": predictions beside what others measured, the misses included. Drawn when it is opened. */
import { html, nothing, svg } from 'lit';
import { worst } from '../measured.js';
import { kindText, scatterView, shapeView } from './scatter.js';
import { link } from './source.js';

/**
 * @typedef {import('../context.d.ts').Context} Context
 * @typedef {import('../accuracy.d.ts').Accuracy} Accuracy
 * @typedef {import('../accuracy.d.ts').MeasuredFile} MeasuredFile
 * @typedef {import('../accuracy.d.ts').Source} Source
 * @typedef {import('../measured.js').Figure} Figure
 * @typedef {import('../measured.js').Row} Row
 * @typedef {import('../../wasm/rigsizer.d.ts').ErrorSummary} ErrorSummary
 */

/** Below this an error reads 0 %, and has no sign. */
const LEAST_PCT = 0.05;
/** Rows listed as furthest off. */
const WORST = 10;

/** @param {Context} ctx */
export function accuracyView(ctx) {
  const { open } = ctx.ui.accuracy;
  const remember = (/** @type {Event} */ event) => {
    const now = /** @type {HTMLDetailsElement} */ (event.currentTarget).open;
    if (now !== open) set(ctx, { open: now });
  };
  return html`<section class="accuracy" aria-labelledby="accuracy-title">
    <details ?open=${open} @toggle=${remember}>
      <summary><h2 id="accuracy-title">${ctx.t('section.accuracy')}</h2> <span class="hint">${ctx.t('accuracy.teaser')}</span></summary>
      ${open ? detail(ctx) : nothing}
    </details>
  </section>`;
}

/**
 * @param {Context} ctx
 * @param {Partial<Context['ui']['accuracy']>} changes
 */
const set = (ctx, changes) => ctx.setUi({ accuracy: { ...ctx.ui.accuracy, ...changes } });

/** @param {Context} ctx */
function detail(ctx) {
  const { data, figures } = ctx.accuracy();
  const { figure: key, rows: which } = ctx.ui.accuracy;
  const figure = figures.find((one) => one.key === key) ?? figures[0];
  const rows = which === 'high' ? figure.rows.filter(({ sure }) => sure) : figure.rows;
  return html`<p>${ctx.t('accuracy.intro', { train: data.files[0].runs, infer: data.files[1].runs, sources: data.files.reduce((sum, file) => sum + file.sources, 0) })}</p>
    ${whichRows(ctx)}
    ${summaryTable(ctx, data, figures, figure)}
    ${unpredicted(ctx, data)}
    ${plotView(ctx, figure, rows)}
    ${worstTable(ctx, figure, rows)}
    ${skippedView(ctx, data)}
    ${fitView(ctx, data)}`;
}

/** @param {Context} ctx */
function whichRows(ctx) {
  return html`<fieldset class="segments small which-rows">
    <legend class="visually-hidden">${ctx.t('accuracy.which')}</legend>
    ${
      /** @type {const} */ (['all', 'high']).map(
        (name) =>
          html`<label><input type="radio" name="accuracy-rows" value=${name} ?checked=${name === ctx.ui.accuracy.rows} @change=${() => set(ctx, { rows: name })}><span>${ctx.t(`accuracy.${name}`)}</span></label>`,
      )
    }
  </fieldset>`;
}

/**
 * @param {Context} ctx
 * @param {Accuracy} data
 * @param {Figure[]} figures
 * @param {Figure} chosen
 */
function summaryTable(ctx, data, figures, chosen) {
  const columns = ['n', 'skipped', 'ours', 'median', 'p90', 'bias', 'in_band', 'width'];
  return html`<table class="figures" role="table">
    <caption class="visually-hidden">${ctx.t('accuracy.caption')}</caption>
    ${head(ctx, ['metric', ...columns])}
    ${data.files.map(
      ({ name }) => html`<tbody role="rowgroup">
        <tr role="row" class="file"><th role="rowheader" scope="rowgroup" colspan=${columns.length + 1}>${ctx.t(`accuracy.file.${name}`)}</th></tr>
        ${figures.filter(({ file }) => file === name).map((figure) => summaryRow(ctx, figure, figure === chosen, columns))}
      </tbody>`,
    )}
  </table>`;
}

/**
 * @param {Context} ctx
 * @param {Figure} figure
 * @param {boolean} chosen
 * @param {string[]} columns
 */
function summaryRow(ctx, figure, chosen, columns) {
  const one = figure.summary[ctx.ui.accuracy.rows];
  const share = (/** @type {number | null | undefined} */ value) => (value == null ? '–' : ctx.fmt.share(value / 100));
  /** @type {Record<string, string>} */
  const cells = {
    n: ctx.fmt.integer(one?.n ?? 0),
    skipped: ctx.fmt.integer(one?.skipped ?? 0),
    ours: ctx.fmt.integer(one?.skipped_ours ?? 0),
    median: share(one?.median_abs_pct),
    p90: share(one?.p90_abs_pct),
    bias: signed(ctx, one?.bias_pct),
    in_band: share(one?.in_band_pct),
    width: share(one?.median_width_pct),
  };
  return html`<tr role="row" class=${chosen ? 'chosen' : ''}>
    <th role="rowheader" scope="row"><button type="button" class="plain" aria-pressed=${chosen} @click=${() => set(ctx, { figure: figure.key, row: '' })}>${ctx.t(`accuracy.metric.${figure.metric}`)}</button></th>
    ${columns.map((name) => cell(ctx, name, cells[name]))}
  </tr>`;
}

/**
 * Figures that nothing is said about yet, in one line for all.
 * @param {Context} ctx
 * @param {Accuracy} data
 */
function unpredicted(ctx, { files }) {
  const all = files.flatMap((file) => file.unpredicted);
  if (!all.length) return nothing;
  const names = [...new Set(all.map(({ metric }) => ctx.t(`accuracy.metric.${metric}`)))];
  return html`<p class="hint">${ctx.t('accuracy.unpredicted', { figures: names.join(' · '), count: all.reduce((sum, { figures }) => sum + figures, 0) })}</p>`;
}

/**
 * @param {Context} ctx
 * @param {Figure} figure
 * @param {Row[]} rows
 */
function plotView(ctx, figure, rows) {
  const name = `${ctx.t(`accuracy.file.${figure.file}`)}${ctx.t('list.colon')}${ctx.t(`accuracy.metric.${figure.metric}`)}`;
  const row = rows.find(({ id }) => id === ctx.ui.accuracy.row);
  return html`<h3>${name}</h3>
    ${
      rows.length
        ? html`<div class="plot">
      ${scatterView(ctx, {
        rows,
        kinds: figure.kinds,
        label: ctx.t('accuracy.plot', {
          name,
          count: rows.length,
          in_band: figure.summary[ctx.ui.accuracy.rows]?.in_band_pct ?? 0,
        }),
        chosen: ctx.ui.accuracy.row,
        choose: (id) => id !== ctx.ui.accuracy.row && set(ctx, { row: id }),
      })}
      <div class="beside">
        <ul class="legend">
          ${figure.kinds.map((kind, index) => html`<li><svg width="14" height="14" viewBox="-7 -7 14 14" aria-hidden="true">${shapeView(index)}</svg> ${kindText(ctx, kind)}</li>`)}
          <li><svg width="22" height="14" aria-hidden="true">${svg`<line class="equal" x1="0" x2="22" y1="7" y2="7"></line>`}</svg> ${ctx.t('accuracy.equal')}</li>
          <li><svg width="22" height="14" aria-hidden="true">${svg`<line class="tenth" x1="0" x2="22" y1="7" y2="7"></line>`}</svg> ${ctx.t('accuracy.tenth')}</li>
        </ul>
        <p class="readout" role="status">${row ? readout(ctx, row) : ctx.t('accuracy.point')}</p>
      </div>
    </div>`
        : html`<p class="empty">${ctx.t('accuracy.none')}</p>`
    }`;
}

/**
 * @param {Context} ctx
 * @param {Row} row
 */
function readout(ctx, row) {
  return ctx.parts('accuracy.readout', {
    id: html`<strong>${row.id}</strong>`,
    kind: kindText(ctx, row.kind),
    source: sourceLink(ctx, row.source),
    measured: html`<b>${figureText(ctx, row.measured)}</b>`,
    predicted: html`<b>${figureText(ctx, row.predicted)}</b>`,
    band: band(ctx, row),
    error: html`<b>${signed(ctx, row.error_pct)}</b>`,
  });
}

/**
 * @param {Context} ctx
 * @param {Figure} figure
 * @param {Row[]} rows
 */
function worstTable(ctx, figure, rows) {
  const columns = ['measured', 'predicted', 'band', 'error'];
  if (!rows.length) return nothing;
  return html`<h3>${ctx.t('accuracy.worst')}</h3>
    <table class="figures worst" role="table">
    <caption class="visually-hidden">${ctx.t('accuracy.worst')}${ctx.t('list.colon')}${ctx.t(`accuracy.metric.${figure.metric}`)}</caption>
    ${head(ctx, ['source', ...columns])}
    <tbody role="rowgroup">${worst(rows, WORST).map((row) => {
      /** @type {Record<string, string>} */
      const cells = {
        measured: figureText(ctx, row.measured),
        predicted: figureText(ctx, row.predicted),
        band: band(ctx, row),
        error: signed(ctx, row.error_pct),
      };
      return html`<tr role="row"><th role="rowheader" scope="row"><span class="row-id">${row.id}</span> ${sourceLink(ctx, row.source)}</th>${columns.map((name) => cell(ctx, name, cells[name]))}</tr>`;
    })}</tbody>
  </table>`;
}

/**
 * @param {Context} ctx
 * @param {Accuracy} data
 */
function skippedView(ctx, { skipped }) {
  if (!skipped.length) return nothing;
  const sum = (/** @type {Accuracy['skipped']} */ reasons) => reasons.reduce((all, { figures }) => all + figures, 0);
  const list = (/** @type {string} */ title, /** @type {Accuracy['skipped']} */ reasons) =>
    reasons.length
      ? html`<p>${title}${ctx.t('list.colon')}${ctx.t('accuracy.skipped', { count: sum(reasons) })}</p>
        <ul lang="en">${reasons.map(({ reason, figures }) => html`<li><span class="times">${ctx.fmt.integer(figures)} ×</span> ${reason}</li>`)}</ul>`
      : nothing;
  return html`<details class="skipped">
    <summary>${ctx.t('accuracy.reasons')} <span class="group-count">${ctx.t('accuracy.skipped', { count: sum(skipped) })}</span></summary>
    ${list(
      ctx.t('accuracy.skipped_row'),
      skipped.filter(({ ours }) => !ours),
    )}
    ${list(
      ctx.t('accuracy.skipped_ours'),
      skipped.filter(({ ours }) => ours),
    )}
  </details>`;
}

/**
 * What the constants were fitted to, and how they do where they were not.
 * @param {Context} ctx
 * @param {Accuracy} data
 */
function fitView(ctx, { fit }) {
  const { all, ...kinds } = fit.held_out;
  const rows = [...Object.entries(kinds), /** @type {const} */ (['all', all])];
  const columns = ['n', 'median', 'p90', 'bias'];
  return html`<h3>${ctx.t('accuracy.fit')}</h3>
    <p>${ctx.t('accuracy.fit_what', { count: fit.fitted_on.n, median: fit.fitted_on.median_abs_pct, held_median: all.median_abs_pct, held_p90: all.p90_abs_pct })}</p>
    <table class="figures held-out" role="table">
      <caption>${ctx.t('accuracy.held_out')}</caption>
      ${head(ctx, ['kind', ...columns])}
      <tbody role="rowgroup">${rows.map(([kind, errors]) => {
        /** @type {Record<string, string>} */
        const cells = {
          n: ctx.fmt.integer(errors.n),
          median: ctx.fmt.share(errors.median_abs_pct / 100),
          p90: ctx.fmt.share(errors.p90_abs_pct / 100),
          bias: signed(ctx, errors.bias_pct),
        };
        return html`<tr role="row"><th role="rowheader" scope="row">${kind === 'all' ? ctx.t('accuracy.kinds') : kindText(ctx, kind)}</th>${columns.map((name) => cell(ctx, name, cells[name]))}</tr>`;
      })}</tbody>
    </table>
    <p class="hint">${ctx.t('accuracy.serving_constants')}</p>`;
}

/**
 * @param {Context} ctx
 * @param {string[]} columns
 */
const head = (ctx, columns) =>
  html`<thead role="rowgroup"><tr role="row">${columns.map((name) => html`<th role="columnheader" scope="col">${ctx.t(`accuracy.column.${name}`)}</th>`)}</tr></thead>`;

/**
 * With its column's name, which narrow screens show beside it.
 * @param {Context} ctx
 * @param {string} column
 * @param {string} text
 */
const cell = (ctx, column, text) =>
  html`<td role="cell" data-column=${ctx.t(`accuracy.column.${column}`)}>${text}</td>`;

/**
 * Gibibytes to four digits, tokens in full.
 * @param {Context} ctx
 * @param {number} value
 */
const figureText = (ctx, value) => (value < 1000 ? ctx.fmt.rate(value) : ctx.fmt.integer(value));

/**
 * @param {Context} ctx
 * @param {Row} row
 */
const band = (ctx, { low, high }) => `${figureText(ctx, low)}–${figureText(ctx, high)}`;

/**
 * @param {Context} ctx
 * @param {number | null | undefined} percent
 */
function signed(ctx, percent) {
  if (percent == null) return '–';
  const sign = Math.abs(percent) < LEAST_PCT ? '' : percent > 0 ? '+' : '−';
  return `${sign}${ctx.fmt.share(Math.abs(percent) / 100)}`;
}

/**
 * @param {Context} ctx
 * @param {Source} source
 */
const sourceLink = (ctx, { url, title }) =>
  html`<span lang="en">${url ? link(url, title) : title}</span>${url ? nothing : html` <small>${ctx.t('accuracy.no_link')}</small>`}`;
