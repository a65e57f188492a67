/** "Why not the others": what does not fit, grouped by reason, down to the single machine. */
import { html, nothing } from 'lit';
import { groupsByReason } from '../machines.js';
import { reasonText } from '../reasons.js';
import { textOf } from '../state.js';
import { factsView } from './row.js';

/**
 * @typedef {import('../context.d.ts').Context} Context
 * @typedef {import('../context.d.ts').Machine} Machine
 * @typedef {import('../machines.js').Group} Group
 */

/** Machines listed at first under one kind of hardware. */
const LISTED = 12;

/** @param {Context} ctx */
export function whyNotView(ctx) {
  const groups = groupsByReason(ctx.machines);
  const counts = ctx.answer?.counts;
  return html`<section class="why-not" aria-labelledby="why-title">
    <h2 id="why-title">${ctx.t('section.why_not')}</h2>
    ${groups.length ? nothing : html`<p class="empty">${ctx.t('why.none')}</p>`}
    ${groups.map((group) => groupView(ctx, group))}
    ${counts?.filtered_out ? html`<p class="hint">${ctx.t('why.filtered', { count: counts.filtered_out })}</p>` : nothing}
  </section>`;
}

/**
 * @param {Context} ctx
 * @param {Group} group
 */
function groupView(ctx, group) {
  const open = ctx.ui.groups.has(group.code);
  const code = group.code === 'no_price' && textOf(ctx.state, 'term') === 'spot' ? 'spot_missing' : group.code;
  const name = ctx.has(`group.${code}`) ? ctx.t(`group.${code}`) : code;
  return html`<details class="group" ?open=${open} @toggle=${(/** @type {Event} */ e) => remember(ctx, group.code, /** @type {HTMLDetailsElement} */ (e.currentTarget).open)}>
    <summary><span class="group-name">${name}</span> <span class="group-count">${ctx.t('why.machines', { count: group.machines.length })}</span></summary>
    ${open ? html`<ul class="shapes">${group.shapes.map(({ machines }) => shapeView(ctx, group.code, machines))}</ul>` : nothing}
  </details>`;
}

/**
 * @param {Context} ctx
 * @param {string} name of a group, or of a whole list of machines in it
 * @param {boolean} open
 */
function remember(ctx, name, open) {
  if (ctx.ui.groups.has(name) === open) return;
  const groups = new Set(ctx.ui.groups);
  if (open) groups.add(name);
  else groups.delete(name);
  ctx.setUi({ groups });
}

/**
 * One kind of hardware: why it does not do, who rents it, and the facts of the machine that is chosen.
 * @param {Context} ctx
 * @param {string} code
 * @param {Machine[]} machines
 */
function shapeView(ctx, code, machines) {
  const { shape, row } = machines[0];
  const list = `${code} ${row.shape}`;
  const shown = ctx.ui.groups.has(list) ? machines : machines.slice(0, LISTED);
  const chosen = machines.find((machine) => machine.row.id === ctx.answer?.selected?.offer);
  return html`<li>
    <p class="shape"><strong>${ctx.fmt.number(shape.count)} × ${shape.label}</strong> ${shape.reasons.map((reason) => html`<span>${reasonText(ctx, reason)}</span>${ctx.t('sentence.separator')}`)}</p>
    <p class="offers-of">${shown.map((machine) => offerButton(ctx, machine))}${
      machines.length > shown.length
        ? html`<button type="button" class="chip plain" @click=${() => remember(ctx, list, true)}>${ctx.t('why.more', { count: machines.length - shown.length })}</button>`
        : nothing
    }</p>
    ${chosen ? html`<div class="facts">${factsView(ctx, chosen)}</div>` : shape.notes.map((note) => html`<p class=${`hint ${note.severity}`}>${reasonText(ctx, note)}</p>`)}
  </li>`;
}

/**
 * @param {Context} ctx
 * @param {Machine} machine
 */
function offerButton(ctx, { row, offer }) {
  const price = row.price_per_h === null ? '' : ctx.fmt.hourly(row.price_per_h, ctx.answer?.currency ?? 'USD');
  return html`<button type="button" class="chip" aria-pressed=${ctx.answer?.selected?.offer === row.id} @click=${() => ctx.set({ select: row.id })}
    >${offer.provider} ${offer.machine} <span class="chip-more">${offer.region}</span>${price ? html` <span class="chip-more">${price}</span>` : nothing}</button>`;
}
