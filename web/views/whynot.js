/** "Why not the others": what does not fit, grouped by reason, down to the single machine. */
import { html, nothing } from 'lit';
import { groupsByReason } from '../machines.js';
import { reasonText } from '../reasons.js';

/**
 * @typedef {import('../context.d.ts').Context} Context
 * @typedef {import('../context.d.ts').Machine} Machine
 * @typedef {import('../machines.js').Group} Group
 */

/** Machines listed under one kind of hardware; the rest is a number. */
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
  const name = ctx.has(`group.${group.code}`) ? ctx.t(`group.${group.code}`) : group.code;
  return html`<details class="group" ?open=${open} @toggle=${(/** @type {Event} */ e) => remember(ctx, group.code, /** @type {HTMLDetailsElement} */ (e.currentTarget).open)}>
    <summary><span class="group-name">${name}</span> <span class="group-count">${ctx.t('why.machines', { count: group.machines.length })}</span></summary>
    ${open ? html`<ul class="shapes">${group.shapes.map(({ machines }) => shapeView(ctx, machines))}</ul>` : nothing}
  </details>`;
}

/**
 * @param {Context} ctx
 * @param {string} code
 * @param {boolean} open
 */
function remember(ctx, code, open) {
  if (ctx.ui.groups.has(code) === open) return;
  const groups = new Set(ctx.ui.groups);
  if (open) groups.add(code);
  else groups.delete(code);
  ctx.setUi({ groups });
}

/**
 * @param {Context} ctx
 * @param {Machine[]} machines of one kind of hardware
 */
function shapeView(ctx, machines) {
  const { shape } = machines[0];
  return html`<li>
    <p class="shape"><strong>${ctx.fmt.number(shape.count)} × ${shape.label}</strong> ${shape.reasons.map((reason) => html`<span>${reasonText(ctx, reason)}</span> `)}</p>
    <p class="offers-of">${machines.slice(0, LISTED).map((machine) => offerButton(ctx, machine))}${
      machines.length > LISTED
        ? html`<span class="hint">${ctx.t('why.more', { count: machines.length - LISTED })}</span>`
        : nothing
    }</p>
    ${shape.notes.map((note) => html`<p class=${`hint ${note.severity}`}>${reasonText(ctx, note)}</p>`)}
  </li>`;
}

/**
 * @param {Context} ctx
 * @param {Machine} machine
 */
function offerButton(ctx, { row, offer }) {
  const price = row.price_per_h === null ? '' : ctx.fmt.hourly(row.price_per_h, ctx.answer?.currency ?? 'USD');
  return html`<button type="button" class="chip" aria-pressed=${ctx.answer?.selected?.offer === row.id} @click=${() => ctx.set({ select: row.id })}
    title=${offer.region}>${offer.provider} ${offer.machine}${price ? html` <span class="chip-price">${price}</span>` : nothing}</button>`;
}
