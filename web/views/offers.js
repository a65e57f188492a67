/** "What to rent": the machines that fit, by price or any other column, a page at a time. */
import { html, nothing } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { calm } from '../elements/calm.js';
import { fieldOf } from '../fields.js';
import { isRentable, matching, sorted } from '../machines.js';
import { textOf } from '../state.js';
import { rowView } from './row.js';

/**
 * @typedef {import('../context.d.ts').Context} Context
 * @typedef {import('../context.d.ts').Machine} Machine
 */

/** Rows added at a time. */
export const PAGE = 50;

/** Columns, and the sort keys that each offers: the first on its heading, all in the sort list of narrow screens. */
const COLUMNS = [
  { id: 'machine', sorts: ['machine'] },
  { id: 'accelerators', sorts: ['accelerators'] },
  { id: 'used', sorts: ['used'] },
  { id: 'price', sorts: ['price', 'each'], number: true },
  { id: 'month', sorts: ['month'], number: true },
  { id: 'host', sorts: ['vcpus', 'ram'], number: true },
  { id: 'date', sorts: ['date'], number: true },
];

/** @param {Context} ctx */
export function offersView(ctx) {
  const { t, state } = ctx;
  const rentable = ctx.machines.filter(isRentable);
  const show = textOf(state, 'show');
  const wanted = show === 'all' ? rentable : rentable.filter(({ row }) => row.verdict === show);
  const list = sorted(matching(wanted, textOf(state, 'find')), textOf(state, 'sort'));
  const shown = list.slice(0, ctx.ui.shown);
  return html`<section class="offers" aria-labelledby="offers-title">
    <h2 id="offers-title">${t('section.offers')}</h2>
    <p class="hint">${t('offers.month_is')}</p>
    ${rentable.length ? controls(ctx, rentable) : nothing}
    ${list.length ? table(ctx, shown) : html`<p class="empty">${t(rentable.length ? 'offers.none_match' : 'offers.none')}</p>`}
    <div class="tools">
      ${list.length ? html`<span class="hint" role="status">${t('offers.shown', { shown: shown.length, count: list.length })}</span>` : nothing}
      ${
        shown.length < list.length
          ? html`<button type="button" class="show-more" @click=${() => ctx.setUi({ shown: ctx.ui.shown + PAGE })}>${t('offers.more', { count: Math.min(PAGE, list.length - shown.length) })}</button>`
          : nothing
      }
    </div>
  </section>`;
}

/**
 * @param {Context} ctx
 * @param {Machine[]} rentable
 */
function controls(ctx, rentable) {
  const { t, state } = ctx;
  const find = textOf(state, 'find');
  const show = textOf(state, 'show');
  const sort = textOf(state, 'sort');
  const tally = {
    all: rentable.length,
    fits: rentable.filter(({ row }) => row.verdict === 'fits').length,
    tight: rentable.filter(({ row }) => row.verdict === 'tight').length,
  };
  const sorts = ['rank', ...COLUMNS.flatMap(({ sorts: keys }) => keys.flatMap((key) => [key, `-${key}`]))];
  return html`<div class="table-controls">
    <input type="search" id="f-find" aria-label=${t('field.find')} placeholder=${t('field.find')} value=${find} .value=${calm(find)}
      @input=${(/** @type {Event} */ e) => {
        const words = /** @type {HTMLInputElement} */ (e.target).value; // before anything is drawn again
        ctx.setUi({ shown: PAGE });
        ctx.set({ find: words });
      }}>
    <select id="f-show" aria-label=${t('field.show')} @change=${(/** @type {Event} */ e) => ctx.set({ show: /** @type {HTMLSelectElement} */ (e.target).value })}>
      ${(fieldOf('show').options ?? []).map(
        (name) =>
          html`<option value=${name} ?selected=${name === show}>${t(`option.show.${name}`, { count: tally[/** @type {'all'} */ (name)] })}</option>`,
      )}
    </select>
    <select id="f-sort" aria-label=${t('field.sort')} @change=${(/** @type {Event} */ e) => ctx.set({ sort: /** @type {HTMLSelectElement} */ (e.target).value })}>
      ${sorts.map((key) => html`<option value=${key} ?selected=${key === sort} .selected=${key === sort}>${sortText(ctx, key)}</option>`)}
    </select>
  </div>`;
}

/**
 * @param {Context} ctx
 * @param {string} key
 */
function sortText(ctx, key) {
  if (key === 'rank') return ctx.t('sort.rank');
  const down = key.startsWith('-');
  return ctx.t(down ? 'sort.down' : 'sort.up', { column: ctx.t(`sort.${down ? key.slice(1) : key}`) });
}

/**
 * @param {Context} ctx
 * @param {Machine[]} shown
 */
function table(ctx, shown) {
  return html`<table class="machines" role="table">
    <caption class="visually-hidden">${ctx.t('offers.caption')}</caption>
    <thead role="rowgroup"><tr role="row">${COLUMNS.map((column) => heading(ctx, column))}</tr></thead>
    <tbody role="rowgroup">${repeat(
      shown,
      ({ row }) => row.id,
      (machine) => rowView(ctx, machine, COLUMNS),
    )}</tbody>
  </table>`;
}

/**
 * A column may hold two figures, each with its own sort button; `aria-sort` speaks for whichever is sorted by.
 * @param {Context} ctx
 * @param {{ id: string, sorts: string[], number?: boolean }} column
 */
function heading(ctx, { id, sorts, number }) {
  const sort = textOf(ctx.state, 'sort');
  const order = sorts.includes(sort) ? 'ascending' : sorts.includes(sort.slice(1)) ? 'descending' : 'none';
  return html`<th role="columnheader" scope="col" class=${`${id}${number ? ' number' : ''}`} aria-sort=${order}>
    ${sorts.map((key) => {
      const mine = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : 'none';
      const next = mine === 'none' ? key : mine === 'ascending' ? `-${key}` : '';
      const mark = { ascending: ' ▲', descending: ' ▼', none: '' }[mine];
      const name = sorts.length > 1 ? key : id;
      return html`<button type="button" data-sort=${key} @click=${() => ctx.set({ sort: next })}>${ctx.t(`column.${name}`)}<span class="sort-mark" aria-hidden="true">${mark}</span></button>`;
    })}
  </th>`;
}
