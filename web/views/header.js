/** Name and purpose, language, currency and the exchange rates behind it. */
import { html } from 'lit';
import { live } from 'lit/directives/live.js';
import { calm } from '../elements/calm.js';
import { fieldOf } from '../fields.js';
import { textOf, valueIn } from '../state.js';
import { errorAt } from './fields.js';
import { sourceView } from './source.js';

/** @typedef {import('../context.d.ts').Context} Context */

const LANGUAGES = { en: 'English', 'zh-CN': '中文' };

/** @param {Context} ctx */
export function headerView(ctx) {
  return html`<header class="top">
    <div class="brand">
      <h1>${ctx.t('brand')}</h1>
      <p>${ctx.t('purpose')}</p>
    </div>
    <div class="settings">
      ${choiceRow(ctx, 'lang', LANGUAGES)}
      ${choiceRow(ctx, 'currency', Object.fromEntries((fieldOf('currency').options ?? []).map((code) => [code, code])))}
      ${ratesView(ctx)}
    </div>
  </header>`;
}

/**
 * @param {Context} ctx
 * @param {string} key
 * @param {Record<string, string>} labels
 */
function choiceRow(ctx, key, labels) {
  const value = textOf(ctx.state, key);
  return html`<fieldset class="segments small">
    <legend class="visually-hidden">${ctx.t(`field.${key}`)}</legend>
    ${Object.entries(labels).map(
      ([
        name,
        label,
      ]) => html`<label><input type="radio" name=${key} value=${name} ?checked=${name === value} .checked=${live(name === value)}
        @change=${() => ctx.set({ [key]: name })}><span lang=${key === 'lang' ? name : textOf(ctx.state, 'lang')}>${label}</span></label>`,
    )}
  </fieldset>`;
}

/** Every rate with its date and source, and a place to put one's own. @param {Context} ctx */
function ratesView(ctx) {
  const rates = ctx.catalog.exchange_rates.map((rate) => ({ ...rate, key: `rate-${rate.to.toLowerCase()}` }));
  const shown = rates
    .map((rate) => `${ctx.fmt.rate(Number(valueIn(ctx.state, rate.key) ?? rate.rate))} ${rate.to}`)
    .join(' · ');
  return html`<details class="rates">
    <summary>${ctx.t('rates.summary', { rates: shown })}</summary>
    <div class="panel">
      ${rates.map((rate) => {
        const own = valueIn(ctx.state, rate.key);
        const text = own === undefined ? '' : String(own);
        return html`<div class="field">
          <label for="f-${rate.key}">${ctx.t('rates.one', { from: rate.from, to: rate.to })}</label>
          <input id="f-${rate.key}" type="number" inputmode="decimal" min="0" step="any" placeholder=${String(rate.rate)} value=${text} .value=${calm(text)}
            aria-describedby="h-${rate.key} e-${rate.key}"
            @input=${(/** @type {Event} */ e) => {
              const { value, valueAsNumber } = /** @type {HTMLInputElement} */ (e.target);
              ctx.set({ [rate.key]: value === '' ? undefined : valueAsNumber });
            }}>
          <p class="hint" id="h-${rate.key}">${ctx.t('rates.from_catalog', { rate: ctx.fmt.exact(rate.rate), date: ctx.fmt.date(rate.date) })} ${sourceView(ctx, rate.source)}</p>
          ${errorAt(ctx, rate.key)}
        </div>`;
      })}
    </div>
  </details>`;
}
