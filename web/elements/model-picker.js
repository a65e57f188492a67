/**
 * `<rig-model-picker>`: one of hundreds of models, found by typing (the combobox pattern of ARIA 1.2, in the light DOM).
 *
 * @fires pick - bubbles; `detail` is the id of the model
 * @typedef {import('../context.d.ts').CatalogModel} Model
 * @typedef {import('../context.d.ts').Context} Context
 */
import { html, nothing, render } from 'lit';
import { live } from 'lit/directives/live.js';
import { findModels } from '../search.js';

const SHOWN = 60;

export class ModelPicker extends (globalThis.HTMLElement ?? Object) {
  /** @type {Context | null} */
  #ctx = null;
  #value = '';
  /** What is being typed; null while nothing is. @type {string | null} */
  #query = null;
  #active = 0;

  /** @param {{ ctx: Context, value: string }} given */
  set given({ ctx, value }) {
    this.#ctx = ctx;
    this.#value = value;
    this.#render();
  }

  get #open() {
    return this.#query !== null;
  }

  /** @returns {Model[]} */
  get #found() {
    return this.#ctx && this.#query !== null ? findModels(this.#ctx.catalog.models, this.#query).slice(0, SHOWN) : [];
  }

  /** @param {string | null} query */
  #ask(query) {
    this.#query = query;
    const current = query === '' ? this.#found.findIndex(({ id }) => id === this.#value) : 0;
    this.#active = Math.max(0, current);
    this.#render();
    this.#scrollToActive();
  }

  /** @param {Model | undefined} model */
  #choose(model) {
    if (!model?.supported) return;
    this.#query = null;
    this.#render();
    this.dispatchEvent(new CustomEvent('pick', { bubbles: true, detail: model.id }));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const last = this.#found.length - 1;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!this.#open) return this.#ask('');
      this.#move(Math.min(last, Math.max(0, this.#active + (event.key === 'ArrowDown' ? 1 : -1))));
    } else if (event.key === 'Enter' && this.#open) {
      event.preventDefault();
      this.#choose(this.#found[this.#active]);
    } else if (event.key === 'Escape' && this.#open) {
      event.stopPropagation();
      this.#ask(null);
    }
  }

  /** @param {number} to */
  #move(to) {
    this.#active = to;
    this.#render();
    this.#scrollToActive();
  }

  #scrollToActive() {
    this.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }

  #render() {
    const ctx = this.#ctx;
    if (!ctx) return;
    const current = ctx.catalog.models.find(({ id }) => id === this.#value);
    const shown = this.#query ?? current?.name ?? this.#value;
    const found = this.#found;
    render(
      html`<input id="f-model" class="wide" type="text" role="combobox" autocomplete="off" spellcheck="false"
          aria-expanded=${this.#open} aria-controls="model-list" aria-autocomplete="list"
          aria-activedescendant=${this.#open && found.length ? `model-${this.#active}` : nothing}
          aria-describedby="h-model e-model" aria-invalid=${ctx.failure?.path.startsWith('/model') ? 'true' : nothing}
          placeholder=${ctx.t('model.placeholder')} value=${shown} .value=${live(shown)}
          @input=${(/** @type {Event} */ e) => this.#ask(/** @type {HTMLInputElement} */ (e.target).value)}
          @click=${() => this.#open || this.#ask('')}
          @focus=${(/** @type {Event} */ e) => /** @type {HTMLInputElement} */ (e.target).select()}
          @blur=${() => this.#open && this.#ask(null)}
          @keydown=${(/** @type {KeyboardEvent} */ e) => this.#key(e)}>
        <ul id="model-list" class="options" role="listbox" aria-label=${ctx.t('field.model')} ?hidden=${!this.#open}>
          ${found.map((model, index) => this.#option(ctx, model, index))}
          ${this.#open && found.length === 0 ? html`<li class="empty" role="option" aria-disabled="true" aria-selected="false">${ctx.t('model.none')}</li>` : nothing}
        </ul>`,
      this,
    );
  }

  /**
   * @param {Context} ctx
   * @param {Model} model
   * @param {number} index
   */
  #option(ctx, model, index) {
    return html`<li id="model-${index}" role="option" aria-selected=${index === this.#active}
      aria-disabled=${model.supported ? nothing : 'true'}
      @mousedown=${(/** @type {Event} */ e) => e.preventDefault()} @click=${() => this.#choose(model)}>
      <span class="name">${model.name}</span>
      <span class="size">${model.parameters === null ? nothing : ctx.fmt.count(model.parameters)}</span>
      ${model.supported ? nothing : html`<span class="why">${whyNot(ctx, model)}</span>`}
    </li>`;
  }
}

/**
 * @param {Context} ctx
 * @param {Model} model
 */
function whyNot(ctx, model) {
  const kind = `modality.${model.modality}`;
  const key = `unsupported.${model.why_not_code}`;
  const modality = ctx.has(kind) ? ctx.t(kind) : model.modality;
  return ctx.has(key) ? ctx.t(key, { modality }) : (model.why_not ?? ctx.t('model.unsupported'));
}
