/** Ready questions, to begin from: three whole situations and four jobs of one model. */
import { html } from 'lit';
import { applied, isApplied, SCENARIOS, SHORTCUTS } from '../presets.js';

/**
 * @typedef {import('../context.d.ts').Context} Context
 * @typedef {import('../presets.js').Preset} Preset
 */

/** @param {Context} ctx */
export function startsView(ctx) {
  return html`<section class="starts" aria-label=${ctx.t('section.starts')}><div class="presets" role="group" aria-label=${ctx.t('section.scenarios')}>
      ${SCENARIOS.map(
        (
          preset,
        ) => html`<button type="button" class="scenario" data-preset=${preset.id} aria-pressed=${isApplied(ctx.state, preset)} @click=${() => apply(ctx, preset)}>
          <strong>${ctx.t(`scenario.${preset.id}`)}</strong><span>${ctx.t(`scenario.${preset.id}_what`)}</span>
        </button>`,
      )}
    </div>
    <div class="chips" role="group" aria-label=${ctx.t('section.shortcuts')}>
      <span class="chips-of">Llama-3-8B</span>
      ${SHORTCUTS.map(
        (preset) =>
          html`<button type="button" class="chip" data-preset=${preset.id} aria-pressed=${isApplied(ctx.state, preset)} @click=${() => apply(ctx, preset)}>${ctx.t(`shortcut.${preset.id}`)}</button>`,
      )}
      <div class="tools">
        <button type="button" class="plain" data-action="undo" ?disabled=${!ctx.canUndo} @click=${ctx.actions.undo} title=${ctx.t('action.undo_hint')}>${ctx.t('action.undo')}</button>
        <button type="button" class="plain" data-action="reset" @click=${ctx.actions.reset}>${ctx.t('action.reset')}</button>
      </div>
    </div></section>`;
}

/**
 * @param {Context} ctx
 * @param {Preset} preset
 */
function apply(ctx, preset) {
  const next = applied(ctx.state, preset);
  const cleared = Object.fromEntries(Object.keys(ctx.state).map((key) => [key, undefined]));
  ctx.set({ ...cleared, ...next });
}
