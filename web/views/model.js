/** Which model: one of the catalog's, found by typing, or any other by its config.json, pasted, chosen or dropped. */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { modelText } from '../phrases.js';
import { textOf } from '../state.js';
import { errorAt, isWrong } from './fields.js';

/** @typedef {import('../context.d.ts').Context} Context */

/** @param {Context} ctx */
export function modelField(ctx) {
  const from = textOf(ctx.state, 'from');
  return html`<div class="field model">
    <div class="label-row">
      <label for=${from === 'list' ? 'f-model' : 'f-config'}>${ctx.t('field.model')}</label>
      <div class="switch" role="group" aria-label=${ctx.t('field.from')}>
        ${['list', 'config'].map(
          (name) =>
            html`<button type="button" aria-pressed=${from === name} @click=${() => ctx.set({ from: name })}>${ctx.t(`option.from.${name}`)}</button>`,
        )}
      </div>
    </div>
    ${from === 'list' ? fromList(ctx) : fromConfig(ctx)}
    ${errorAt(ctx, 'model')}
  </div>`;
}

/** @param {Context} ctx */
function fromList(ctx) {
  return html`<rig-model-picker .given=${{ ctx, value: textOf(ctx.state, 'model') }}
      @pick=${(/** @type {CustomEvent<string>} */ e) => ctx.set({ model: e.detail })}></rig-model-picker>
    <p class="hint" id="h-model">${ctx.failure?.path.startsWith('/model') ? nothing : modelFacts(ctx)}</p>`;
}

/** @param {Context} ctx */
function modelFacts(ctx) {
  const model = ctx.answer?.model;
  if (!model) return ctx.t('model.hint', { count: ctx.catalog.models.length });
  return modelText(ctx, model);
}

/** @param {Context} ctx */
function fromConfig(ctx) {
  const text = textOf(ctx.state, 'config');
  const take = async (/** @type {File | undefined | null} */ file) => file && ctx.set({ config: await file.text() });
  return html`<textarea id="f-config" class="wide" rows="7" spellcheck="false" placeholder=${ctx.t('model.config_placeholder')}
      aria-describedby="h-model e-model" aria-invalid=${isWrong(ctx, 'model') ? 'true' : nothing} .value=${live(text)}
      @input=${(/** @type {Event} */ e) => ctx.set({ config: /** @type {HTMLTextAreaElement} */ (e.target).value })}
      @dragover=${(/** @type {Event} */ e) => e.preventDefault()}
      @drop=${(/** @type {DragEvent} */ e) => {
        e.preventDefault();
        take(e.dataTransfer?.files[0]);
      }}></textarea>
    <div class="file-row">
      <label class="file button" for="f-file">${ctx.t('model.choose_file')}</label>
      <input id="f-file" class="visually-hidden" type="file" accept=".json,application/json"
        @change=${(/** @type {Event} */ e) => take(/** @type {HTMLInputElement} */ (e.target).files?.[0])}>
    </div>
    <p class="hint" id="h-model">${ctx.answer && !ctx.failure ? modelFacts(ctx) : ctx.t('model.config_hint')}</p>`;
}
