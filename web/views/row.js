/** One machine of the table, and everything known about it once it is chosen. */
import { html, nothing, svg } from 'lit';
import { fieldOf } from '../fields.js';
import { reasonText } from '../reasons.js';
import { link, sourceView } from './source.js';

/**
 * @typedef {import('../context.d.ts').Context} Context
 * @typedef {import('../context.d.ts').Machine} Machine
 * @typedef {import('../context.d.ts').CatalogOffer} CatalogOffer
 * @typedef {import('lit').TemplateResult} TemplateResult
 */

/** A price older than this is marked. */
const OLD_DAYS = 180;

/** @type {Record<string, (ctx: Context, machine: Machine) => unknown>} */
const CELLS = { machine: machineCell, accelerators: acceleratorsCell, used: usedCell, price, month, host, date };

/**
 * @param {Context} ctx
 * @param {Machine} machine
 * @param {{ id: string, number?: boolean }[]} columns
 */
export function rowView(ctx, machine, columns) {
  const chosen = ctx.answer?.selected?.offer === machine.row.id;
  return html`<tr role="row" class=${chosen ? 'chosen' : ''} data-offer=${machine.row.id}>
      ${columns.map(
        ({ id, number }) =>
          html`<td role="cell" class=${`${id}${number ? ' number' : ''}`} data-label=${ctx.t(`column.${id}`)}>${CELLS[id](ctx, machine)}</td>`,
      )}
    </tr>
    ${chosen ? html`<tr role="row" class="facts"><td role="cell" colspan=${columns.length}>${factsView(ctx, machine)}</td></tr>` : nothing}`;
}

/** @type {(ctx: Context, machine: Machine) => TemplateResult} */
function machineCell(ctx, machine) {
  const { row, offer, shape } = machine;
  const serious = shape.notes.filter(({ severity }) => severity !== 'info');
  return html`<button type="button" class="choose" aria-pressed=${ctx.answer?.selected?.offer === row.id} @click=${() => ctx.set({ select: row.id })}>
      <span class="provider">${offer.provider}</span> <span class="name">${offer.machine}</span></button>
    <span class="region">${offer.region}</span>
    <span class="badges"><span class=${`badge ${row.verdict}`}>${ctx.t(`state.${row.verdict}`)}</span>${serious.map(
      (note) =>
        html`<span class=${`note ${note.severity}`} title=${reasonText(ctx, note)}>${shortNote(ctx, note)}</span>`,
    )}</span>`;
}

/**
 * @param {Context} ctx
 * @param {{ code: string, values: Record<string, number | string> }} note
 */
function shortNote(ctx, note) {
  const key = `short.${note.code}`;
  return ctx.has(key) ? ctx.t(key, note.values) : reasonText(ctx, note);
}

/** @type {(ctx: Context, machine: Machine) => TemplateResult} */
function acceleratorsCell(ctx, { shape }) {
  const links = shape.interconnect && shape.interconnect !== 'none' ? shape.interconnect : '';
  return html`<span class="count">${ctx.fmt.number(shape.count)} × ${shape.label}</span>${links ? html`<span class="link-kind">${links}</span>` : nothing}`;
}

/** @type {(ctx: Context, machine: Machine) => TemplateResult} */
function usedCell(ctx, { shape }) {
  const { needed_bytes: needed } = shape;
  const usable = shape.limit_bytes ?? shape.usable_bytes;
  if (usable === null) return html`<span>${ctx.t('offers.unknown')}</span>`;
  if (!needed) return html`<span>${ctx.t('offers.usable', { usable: ctx.fmt.gib(usable) })}</span>`;
  const share = needed.value / usable;
  const width = `${Math.min(100, share * 100).toFixed(2)}%`;
  return html`<span class="fit">${ctx.t('offers.needed_of', { needed: ctx.fmt.gibNumber(needed.value), usable: ctx.fmt.gibNumber(usable) })}</span>
    <svg class="mini" width="100%" height="5" role="img" aria-label=${ctx.t('memory.of_usable', { share: ctx.fmt.share(share) })}>
      ${svg`<rect class="track" width="100%" height="5" rx="2.5"></rect><rect class=${share > 1 ? 'over' : 'fill'} width=${width} height="5" rx="2.5"></rect>`}
    </svg>`;
}

/** @type {(ctx: Context, machine: Machine) => unknown} */
function price({ fmt, answer, t }, { row, shape }) {
  const { price_per_h: whole, price_per_accelerator_h: each } = row;
  if (whole === null) return '–';
  const code = answer?.currency ?? 'USD';
  const single = shape.count === 1 || each === null;
  return html`<span class="whole">${fmt.hourly(whole, code)}</span>${single ? nothing : html`<span class="each">${t('offers.each', { price: fmt.hourly(each, code) })}</span>`}`;
}

/** @type {(ctx: Context, machine: Machine) => string} */
function month({ fmt, answer }, { row }) {
  return row.price_per_month === null ? '–' : fmt.monthly(row.price_per_month, answer?.currency ?? 'USD');
}

/** @type {(ctx: Context, machine: Machine) => TemplateResult} */
function host({ fmt, t }, { offer }) {
  if (offer.vcpus === null && offer.ram_gib === null) return html`<span>–</span>`;
  const known = (/** @type {number | null} */ value) => (value === null ? '–' : fmt.number(value));
  return html`<span>${t('offers.vcpus', { n: known(offer.vcpus) })}</span><span>${t('offers.ram', { n: known(offer.ram_gib) })}</span>`;
}

/** @type {(ctx: Context, machine: Machine) => TemplateResult} */
function date({ fmt, t }, { row, offer }) {
  const age = row.price_age_days;
  const old = age !== null && age > OLD_DAYS ? t('reason.price_old', { days: age }) : '';
  const vague = /^\d{4}$/.test(offer.as_of) ? t('reason.price_dated_only_year') : '';
  return html`<span title=${vague || offer.source}>${fmt.date(offer.as_of)}</span>${old ? html`<span class="old" title=${old}>${t('offers.old')}</span>` : nothing}`;
}

/**
 * Everything known about a machine.
 * @param {Context} ctx
 * @param {Machine} machine
 */
export function factsView(ctx, { row, offer, shape }) {
  const { t, fmt } = ctx;
  const provider = ctx.catalog.providers.find(({ name }) => name === offer.provider);
  const known = (/** @type {number | null} */ value, /** @type {string} */ unit) =>
    value === null ? t('offers.unknown') : `${fmt.number(value)} ${unit}`;
  return html`<div class="facts-grid">
      <dl>
        <dt>${t('fact.prices')}</dt><dd>${prices(ctx, offer)}</dd>
        <dt>${t('fact.price_date')}</dt><dd>${fmt.date(offer.as_of)}${row.price_age_days === null ? nothing : html` <small>${t('fact.age', { count: row.price_age_days })}</small>`}</dd>
        <dt>${t('fact.source')}</dt><dd>${sourceView(ctx, offer.source)}</dd>
      </dl>
      <dl>
        <dt>${t('fact.vcpus')}</dt><dd>${known(offer.vcpus, 'vCPU')}</dd>
        <dt>${t('fact.ram')}</dt><dd>${known(offer.ram_gib, 'GiB')}</dd>
        <dt>${t('fact.disk')}</dt><dd>${known(offer.local_nvme_gb, 'GB')}</dd>
        <dt>${t('fact.network')}</dt><dd>${known(offer.network_gbps, 'Gbit/s')}</dd>
      </dl>
      ${
        provider
          ? html`<dl>
            <dt>${t('fact.provider')}</dt><dd>${provider.website ? link(provider.website, provider.name) : provider.name} · ${t(`kind.${provider.kind}`)}${provider.billing ? html` · ${t('fact.billing', { unit: ctx.has(`billing.${provider.billing}`) ? t(`billing.${provider.billing}`) : provider.billing })}` : nothing}</dd>
            ${[provider.strengths, provider.weaknesses].filter(Boolean).length ? html`<dt>${t('fact.known_for')}</dt><dd lang="en">${[provider.strengths, provider.weaknesses].filter(Boolean).join('. ')}</dd>` : nothing}
          </dl>`
          : nothing
      }
    </div>
    ${shape.notes.length ? html`<ul class="warnings">${shape.notes.map((note) => html`<li class=${note.severity}>${reasonText(ctx, note)}</li>`)}</ul>` : nothing}
    <p class="hint"><a href="#memory-title" @click=${toMemory}>${t('offers.see_memory')}</a></p>`;
}

/** The link's hash is the state, so the jump is made by hand. @param {Event} event */
function toMemory(event) {
  event.preventDefault();
  document.getElementById('memory-title')?.scrollIntoView({ block: 'start' });
}

/**
 * The prices of every term as published, in the provider's own currency.
 * @param {Context} ctx
 * @param {CatalogOffer} offer
 */
function prices(ctx, offer) {
  const code = offer.currency;
  if (!code) return ctx.t('reason.no_price');
  const terms = /** @type {('on_demand' | 'spot' | 'monthly' | 'reserved_1y' | 'reserved_3y')[]} */ (
    fieldOf('term').options
  );
  return terms.flatMap((term) => {
    const amount = offer[term];
    if (amount === null) return [];
    const money =
      term === 'monthly'
        ? ctx.t('fact.per_month', { price: ctx.fmt.monthly(amount, code) })
        : ctx.t('fact.per_hour', { price: ctx.fmt.hourly(amount, code) });
    return [html`<span class="term">${ctx.t(`option.term.${term}`)} ${money}</span>`];
  });
}
