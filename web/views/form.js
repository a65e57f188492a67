/** "What do you want to run": ready questions, the model, the task, its settings, and which machines to look at. */
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { fieldOf, TASKS } from '../fields.js';
import { textOf, valueIn } from '../state.js';
import { checkBox, checkList, errorAt, fieldView } from './fields.js';
import { modelField } from './model.js';

/**
 * @typedef {import('../context.d.ts').Context} Context
 */

/** Fields of each task: those that matter first, then those that are folded away. */
const SETTINGS = {
  serve: {
    first: ['weights', 'context', 'concurrency'],
    more: ['engine', 'engine-version', 'kv', 'memory-fraction', 'max-batched', 'max-sequences'],
  },
  full: {
    first: ['sequence', 'batch', 'optimizer'],
    more: ['precision', 'accumulation', 'recompute', 'loss', 'sharding'],
  },
  lora: {
    first: ['sequence', 'batch', 'rank'],
    more: ['targets', 'precision', 'optimizer', 'accumulation', 'recompute', 'loss', 'sharding'],
  },
};

/** @param {Context} ctx */
export function formView(ctx) {
  const task = textOf(ctx.state, 'task');
  const settings = SETTINGS[task === 'qlora' ? 'lora' : /** @type {'serve' | 'full' | 'lora'} */ (task)];
  return html`<section class="question" aria-labelledby="question-title">
    <h2 id="question-title">${ctx.t('section.question')}</h2>
    <form autocomplete="off" @submit=${(/** @type {Event} */ e) => e.preventDefault()}>
      ${modelField(ctx)}
      ${taskField(ctx, task)}
      ${settings.first.map((key) => fieldView(ctx, key))}
      <details class="more">
        <summary>${ctx.t('section.more')}${changedCount(ctx, settings.more)}</summary>
        <div class="stack">${settings.more.map((key) => fieldView(ctx, key))}</div>
      </details>
      ${filters(ctx)}
    </form>
  </section>`;
}

/**
 * @param {Context} ctx
 * @param {string} task
 */
function taskField(ctx, task) {
  return html`<fieldset class="tasks">
    <legend>${ctx.t('field.task')}</legend>
    <div class="segments">
      ${TASKS.map(
        (
          name,
        ) => html`<label><input type="radio" name="task" value=${name} ?checked=${name === task} .checked=${live(name === task)}
          @change=${() => ctx.set({ task: name })}><span>${ctx.t(`option.task.${name}`)}</span></label>`,
      )}
    </div>
    <p class="hint">${ctx.t(`hint.task.${task}`)}</p>
    ${errorAt(ctx, 'task')}
  </fieldset>`;
}

const FILTER_KEYS = ['kinds', 'providers', 'vendors', 'min-count', 'max-count', 'whole', 'max-price', 'term'];

/** @param {Context} ctx */
function filters(ctx) {
  const { catalog, t } = ctx;
  const names = catalog.providers.map(({ name }) => ({ value: name, label: name }));
  const vendors = [...new Set(catalog.accelerators.map(({ vendor }) => vendor))].map((name) => ({
    value: name,
    label: name,
  }));
  const kinds = (fieldOf('kinds').options ?? []).map((kind) => ({ value: kind, label: t(`kind.${kind}`) }));
  return html`<details class="more filters">
    <summary>${t('section.filters')}${changedCount(ctx, FILTER_KEYS)}</summary>
    <div class="stack">
    ${checkList(ctx, 'kinds', kinds)}
    ${fieldView(ctx, 'term')}
    <div class="pair">${fieldView(ctx, 'max-count')}${priceLimit(ctx)}</div>
    ${checkBox(ctx, 'whole')}
    ${checkList(ctx, 'vendors', vendors)}
    <details class="more inner">
      <summary>${t('field.providers')}${changedCount(ctx, ['providers'])}</summary>
      ${checkList(ctx, 'providers', names)}
    </details>
    </div>
  </details>`;
}

/** The price limit is in the reader's currency, which is its unit. @param {Context} ctx */
function priceLimit(ctx) {
  const view = fieldView(ctx, 'max-price');
  return html`<div class="priced" data-unit=${`${textOf(ctx.state, 'currency')}/h`}>${view}</div>`;
}

/**
 * How many of the folded fields say something, so that nothing that changes the answer is out of sight.
 * @param {Context} ctx
 * @param {string[]} keys
 */
function changedCount(ctx, keys) {
  const changed = keys.filter((key) => ctx.state[key] !== undefined && valueIn(ctx.state, key) !== undefined).length;
  return changed ? html` <span class="count">${ctx.t('section.changed', { count: changed })}</span>` : nothing;
}
