/** One control for one field of the table: label, control, unit, a sentence about it, and what is wrong with it. */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { calm } from '../elements/calm.js';
import { fieldAt, fieldOf } from '../fields.js';
import { failureText } from '../reasons.js';
import { listOf, valueIn } from '../state.js';

/**
 * @typedef {import('../context.d.ts').Context} Context
 * @typedef {import('../fields.js').Field} Field
 */

/**
 * @param {Context} ctx
 * @param {string} key
 */
export function fieldView(ctx, key) {
  const field = fieldOf(key);
  return html`<div class="field">
    <label for="f-${key}">${ctx.t(`field.${key}`)}</label>
    <div class="control">${CONTROLS[field.kind]?.(ctx, field) ?? number(ctx, field)}${unit(ctx, field)}</div>
    <p class="hint" id="h-${key}">${ctx.t(`hint.${key}`)}${range(ctx, field)}</p>
    ${errorAt(ctx, key)}
  </div>`;
}

/**
 * What the engine would take where the reader says nothing, as its last answer reports it.
 * @param {Context} ctx
 * @param {Field} field
 */
function assumed(ctx, field) {
  /** @type {any} */
  let node = ctx.answer?.request;
  for (const part of field.path ?? []) node = node?.[part];
  return /** @type {string | number | undefined} */ (node);
}

/**
 * @param {Context} ctx
 * @param {Field} field
 */
function select(ctx, field) {
  const value = valueIn(ctx.state, field.key);
  const automatic = field.initial === undefined;
  const taken = assumed(ctx, field);
  const named = value === undefined && taken !== undefined && taken !== 'auto';
  const label = named
    ? ctx.t('field.automatic_is', { value: option(ctx, field, String(taken)) })
    : ctx.t('field.automatic');
  const plain = (field.options ?? []).filter((name) => !(automatic && name === 'auto'));
  return html`<select id="f-${field.key}" aria-describedby="h-${field.key} e-${field.key}"
    aria-invalid=${isWrong(ctx, field.key) ? 'true' : nothing}
    @change=${(/** @type {Event} */ e) => ctx.set({ [field.key]: /** @type {HTMLSelectElement} */ (e.target).value })}>
    ${automatic ? html`<option value="" ?selected=${value === undefined} .selected=${live(value === undefined)}>${label}</option>` : nothing}
    ${field.groups ? groups(ctx, field, field.groups) : plain.map((name) => choice(ctx, field, name))}
  </select>`;
}

/**
 * @param {Context} ctx
 * @param {Field} field
 * @param {string} name
 */
function choice(ctx, field, name) {
  const chosen = valueIn(ctx.state, field.key) === name;
  return html`<option value=${name} ?selected=${chosen} .selected=${live(chosen)}>${option(ctx, field, name)}</option>`;
}

/**
 * Options under their headings; before them what a link names that none of them is.
 * @param {Context} ctx
 * @param {Field} field
 * @param {Record<string, string[]>} named
 */
function groups(ctx, field, named) {
  const value = valueIn(ctx.state, field.key);
  const other = typeof value === 'string' && !field.options?.includes(value);
  return html`${other ? choice(ctx, field, value) : nothing}
    ${Object.entries(named).map(
      ([key, names]) =>
        html`<optgroup label=${ctx.t(`formats.${key}`)}>${names.map((name) => choice(ctx, field, name))}</optgroup>`,
    )}`;
}

/**
 * @param {Context} ctx
 * @param {Field} field
 * @param {string} name
 */
function option(ctx, field, name) {
  const key = `option.${field.key}.${name}`;
  if (ctx.has(key)) return ctx.t(key);
  return ctx.has(`format.${name}`) ? ctx.t(`format.${name}`) : name;
}

/**
 * @param {Context} ctx
 * @param {Field} field
 */
function number(ctx, field) {
  const value = valueIn(ctx.state, field.key);
  const text = value === undefined ? '' : String(value);
  const taken = assumed(ctx, field);
  const integer = field.kind === 'integer';
  const list = field.suggest ? `s-${field.key}` : undefined;
  return html`<input id="f-${field.key}" type="number" inputmode=${integer ? 'numeric' : 'decimal'}
      min=${field.min ?? nothing} max=${field.max ?? nothing} step=${integer ? 1 : 'any'} list=${list ?? nothing}
      placeholder=${taken === undefined ? ctx.t('field.any') : String(taken)} value=${text} .value=${calm(text)}
      aria-describedby="h-${field.key} e-${field.key}" aria-invalid=${isWrong(ctx, field.key) ? 'true' : nothing}
      @input=${(/** @type {Event} */ e) => ctx.set({ [field.key]: typed(/** @type {HTMLInputElement} */ (e.target)) })}>
    ${list ? html`<datalist id=${list}>${field.suggest?.map((n) => html`<option value=${n}></option>`)}</datalist>` : nothing}`;
}

/**
 * @param {Context} ctx
 * @param {Field} field
 */
function text(ctx, field) {
  const value = String(valueIn(ctx.state, field.key) ?? '');
  return html`<input id="f-${field.key}" type="text" value=${value} .value=${calm(value)} spellcheck="false"
      aria-describedby="h-${field.key} e-${field.key}" aria-invalid=${isWrong(ctx, field.key) ? 'true' : nothing}
      @input=${(/** @type {Event} */ e) => ctx.set({ [field.key]: /** @type {HTMLInputElement} */ (e.target).value || undefined })}>`;
}

/** Numbers aside. @type {Record<string, (ctx: Context, field: Field) => unknown>} */
const CONTROLS = { choice: select, text };

/** @param {HTMLInputElement} input */
const typed = (input) => (input.value === '' || Number.isNaN(input.valueAsNumber) ? undefined : input.valueAsNumber);

/**
 * @param {Context} ctx
 * @param {Field} field
 */
function unit(ctx, field) {
  return field.unit ? html`<span class="unit">${ctx.t(`unit.${field.unit}`)}</span>` : nothing;
}

/**
 * @param {Context} ctx
 * @param {Field} field
 */
function range(ctx, field) {
  if (field.min === undefined || field.max === undefined) return nothing;
  return html`${ctx.t('sentence.separator')}<span class="range">${ctx.t('field.range', { min: field.min, max: field.max })}</span>`;
}

/**
 * Several of a list, as check boxes; none checked means all.
 * @param {Context} ctx
 * @param {string} key
 * @param {{ value: string, label: string }[]} choices
 */
export function checkList(ctx, key, choices) {
  const chosen = listOf(ctx.state, key);
  const toggled = (/** @type {string} */ value) =>
    chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
  return html`<fieldset class="checks">
    <legend>${ctx.t(`field.${key}`)}</legend>
    ${choices.map(
      ({ value, label }) => html`<label><input type="checkbox" name=${key} value=${value}
        ?checked=${chosen.includes(value)} .checked=${live(chosen.includes(value))}
        @change=${() => ctx.set({ [key]: toggled(value) })}> ${label}</label>`,
    )}
    ${errorAt(ctx, key)}
  </fieldset>`;
}

/**
 * @param {Context} ctx
 * @param {string} key
 */
export function checkBox(ctx, key) {
  const on = valueIn(ctx.state, key) === true;
  return html`<label class="check"><input id="f-${key}" type="checkbox" ?checked=${on} .checked=${live(on)}
    @change=${() => ctx.set({ [key]: !on })}> ${ctx.t(`field.${key}`)}</label>`;
}

/**
 * @param {Context} ctx
 * @param {string} key
 */
export const isWrong = (ctx, key) => ctx.failure !== null && fieldAt(ctx.failure.path)?.key === key;

/**
 * @param {Context} ctx
 * @param {string} key
 */
export function errorAt(ctx, key) {
  return html`<p class="error" id="e-${key}">${isWrong(ctx, key) && ctx.failure ? failureText(ctx, ctx.failure) : nothing}</p>`;
}
