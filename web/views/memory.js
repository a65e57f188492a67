/** "What it needs": the memory of one accelerator of the chosen machine, as a bar and line by line with its working. */
import { html, nothing, svg } from 'lit';
import { capacityFacts, layoutText } from '../phrases.js';
import { reasonText } from '../reasons.js';
import { filledIn, typeset } from '../working.js';
import { sourceView } from './source.js';

/**
 * @typedef {import('../context.d.ts').Context} Context
 * @typedef {import('../../wasm/rigsizer.d.ts').MemoryEstimate} MemoryEstimate
 * @typedef {import('../../wasm/rigsizer.d.ts').MemoryLine} MemoryLine
 */

/** @param {Context} ctx */
export function memoryView(ctx) {
  const selected = ctx.answer?.selected;
  return html`<section class="memory" aria-labelledby="memory-title">
    <h2 id="memory-title">${ctx.t('section.memory')}</h2>
    ${selected ? detail(ctx, selected) : html`<p class="empty">${ctx.t('memory.empty')}</p>`}
  </section>`;
}

/**
 * @param {Context} ctx
 * @param {MemoryEstimate & { offer: string }} selected
 */
function detail(ctx, selected) {
  const machine = ctx.machines.find(({ row }) => row.id === selected.offer);
  const where = machine ? `${machine.offer.provider} ${machine.offer.machine}` : selected.label;
  return html`<p class="of">
      ${ctx.parts('memory.of', { machine: html`<strong>${where}</strong>`, label: selected.label })}
      <span class=${`badge ${selected.verdict}`}>${ctx.t(`state.${selected.verdict}`)}</span>
      <span class="layout">${layoutText(ctx, selected.layout)}</span>
    </p>
    ${selected.reasons.map((reason) => html`<p class="reason">${reasonText(ctx, reason)}</p>`)}
    ${bar(ctx, selected)}
    ${selected.serving ? capacity(ctx, selected, selected.serving) : nothing}
    ${table(ctx, selected)}`;
}

/**
 * What the engine makes of the machine: how far it could go, and what it holds beside what is needed.
 * @param {Context} ctx
 * @param {MemoryEstimate} estimate
 * @param {import('../../wasm/rigsizer.d.ts').ServingCapacity} serving
 */
function capacity(ctx, { usable_bytes: card }, serving) {
  return html`<dl class="capacity">${capacityFacts(ctx, card, serving).map(
    ({ name, value }) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`,
  )}</dl>`;
}

/**
 * The scale runs to whichever is larger, the card or the upper end of the need. Everything is placed in percent, so the
 * drawing follows the width of the page without a script.
 * @param {Context} ctx
 * @param {MemoryEstimate} estimate
 */
function bar(ctx, { lines, total, usable_bytes: card, limit_bytes: usable }) {
  const scale = Math.max(card, total.high) * 1.04;
  const percent = (/** @type {number} */ bytes) => `${((bytes / scale) * 100).toFixed(3)}%`;
  let start = 0;
  const segments = lines.map((line) => {
    const from = start;
    start += line.bytes;
    return segment(ctx, line, total.value, percent(from), percent(line.bytes));
  });
  const labelled = usable / scale > 0.5 ? { anchor: 'end', dx: -6 } : { anchor: 'start', dx: 6 };
  const crowded = total.high / scale > 0.75;
  const bandLabel = crowded ? { at: total.low, anchor: 'end', dx: -8 } : { at: total.high, anchor: 'start', dx: 8 };
  return html`<svg class="bar" width="100%" height="84" role="group" aria-label=${ctx.t('memory.bar', { needed: ctx.fmt.gib(total.value), usable: ctx.fmt.gib(usable) })}>
    <rect class="track" x="0" y="26" width=${percent(card)} height="32" rx="3"></rect>
    ${segments}
    ${svg`<g class="band" aria-hidden="true">
      <line x1=${percent(total.low)} x2=${percent(total.high)} y1="68" y2="68"></line>
      <line x1=${percent(total.low)} x2=${percent(total.low)} y1="64" y2="72"></line>
      <line x1=${percent(total.high)} x2=${percent(total.high)} y1="64" y2="72"></line>
      <text x=${percent(bandLabel.at)} dx=${bandLabel.dx} y="72" text-anchor=${bandLabel.anchor}>${ctx.t('memory.band', { band: ctx.fmt.band(total) })}</text>
      <line class="value" x1=${percent(total.value)} x2=${percent(total.value)} y1="60" y2="76"></line>
    </g>
    <g class="usable" aria-hidden="true">
      <line x1=${percent(usable)} x2=${percent(usable)} y1="6" y2="62"></line>
      <text x=${percent(usable)} dx=${labelled.dx} y="16" text-anchor=${labelled.anchor}>${ctx.t('memory.usable', { usable: ctx.fmt.gib(usable) })}</text>
    </g>`}
  </svg>`;
}

/**
 * @param {Context} ctx
 * @param {MemoryLine} line
 * @param {number} total
 * @param {string} x
 * @param {string} width
 */
function segment(ctx, line, total, x, width) {
  const label = ctx.t('memory.segment', {
    name: ctx.t(`line.${line.id}`),
    size: ctx.fmt.gib(line.bytes),
    share: ctx.fmt.share(line.bytes / total),
  });
  return svg`<g class="segment" tabindex="0" role="img" aria-label=${label} data-line=${line.id}>
    <title>${label}</title>
    <rect class=${`fill-${line.id}`} x=${x} y="26" width=${width} height="32"></rect>
  </g>`;
}

/**
 * @param {Context} ctx
 * @param {MemoryEstimate} estimate
 */
function table(ctx, { lines, total, limit_bytes: usable }) {
  const { t, fmt } = ctx;
  return html`<table class="lines">
    <caption class="visually-hidden">${t('memory.caption')}</caption>
    <thead><tr><th scope="col">${t('memory.part')}</th><th scope="col">${t('memory.size')}</th><th scope="col">${t('memory.range')}</th><th scope="col" class="share">${t('memory.share')}</th></tr></thead>
    <tbody>${lines.map((line) => lineRows(ctx, line, total.value))}</tbody>
    <tfoot>
      <tr class="total"><th scope="row">${t('memory.total')}</th><td>${fmt.gib(total.value)}</td><td>${fmt.band(total)}</td><td class="share">${t('memory.of_usable', { share: fmt.share(total.value / usable) })}</td></tr>
    </tfoot>
  </table>`;
}

/**
 * @param {Context} ctx
 * @param {MemoryLine} line
 * @param {number} total
 */
function lineRows(ctx, line, total) {
  const open = ctx.ui.lines.has(line.id);
  const toggle = () => {
    const lines = new Set(ctx.ui.lines);
    if (!lines.delete(line.id)) lines.add(line.id);
    ctx.setUi({ lines });
  };
  return html`<tr class="line">
      <th scope="row"><button type="button" class="line-name" aria-expanded=${open} aria-controls="working-${line.id}" @click=${toggle}>
        <svg class="swatch" width="12" height="12" aria-hidden="true"><rect class=${`fill-${line.id}`} width="12" height="12" rx="2"></rect></svg>
        <span>${ctx.t(`line.${line.id}`)}</span></button></th>
      <td>${ctx.fmt.gib(line.bytes)}</td>
      <td>${ctx.fmt.band(line)}</td>
      <td class="share">${ctx.fmt.share(line.bytes / total)}</td>
    </tr>
    <tr class="working" id="working-${line.id}" ?hidden=${!open}><td colspan="4">${working(ctx, line)}</td></tr>`;
}

/**
 * The formula as given, with its values, and every value with its unit and a number that leads to its source.
 * @param {Context} ctx
 * @param {MemoryLine} line
 */
function working(ctx, line) {
  const { t, fmt } = ctx;
  const sources = [...new Set([line.source, ...line.inputs.map(({ source }) => source ?? '')])].filter(Boolean);
  const mark = (/** @type {string | undefined} */ source) =>
    source ? html`<sup>${sources.indexOf(source) + 1}</sup>` : nothing;
  return html`<p>${t(`line.${line.id}_what`)}</p>
    <p class="formula"><code>${typeset(line.formula)}</code>${mark(line.source)}</p>
    <p class="formula"><code>= ${filledIn(line.formula, line.inputs, fmt.exact)}</code></p>
    <p class="formula"><code>= ${t('memory.bytes', { bytes: fmt.integer(line.bytes) })} = ${fmt.gib(line.bytes)}</code></p>
    <table class="inputs">
      <caption class="visually-hidden">${t('working.inputs')}</caption>
      <thead><tr><th scope="col">${t('working.symbol')}</th><th scope="col">${t('working.meaning')}</th><th scope="col">${t('working.value')}</th></tr></thead>
      <tbody>${line.inputs.map(
        (input) => html`<tr><th scope="row"><code>${input.symbol}</code></th>
          <td>${ctx.has(`symbol.${input.symbol}`) ? t(`symbol.${input.symbol}`) : input.symbol}${mark(input.source)}</td>
          <td>${fmt.exact(input.value)} ${unitText(ctx, input.unit)}</td></tr>`,
      )}</tbody>
    </table>
    <ol class="sources-of" aria-label=${t('working.sources')}>${sources.map((source) => html`<li>${sourceView(ctx, source)}</li>`)}</ol>`;
}

/**
 * @param {Context} ctx
 * @param {string} unit
 */
const unitText = (ctx, unit) => (ctx.has(`unit.${unit}`) ? ctx.t(`unit.${unit}`) : unit);
