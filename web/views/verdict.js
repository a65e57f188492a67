/** The answer in one sentence, what it rests on, and ways to take it along. */
import { html, nothing } from 'lit';
import { assumedText, layoutText, sentence } from '../phrases.js';
import { failureText, reasonText } from '../reasons.js';
import { textOf } from '../state.js';

/** @typedef {import('../context.d.ts').Context} Context */

/** @param {Context} ctx */
export function verdictView(ctx) {
  const strong = (/** @type {string} */ text) => html`<strong>${text}</strong>`;
  return html`<section class=${`verdict ${tone(ctx)}`} aria-labelledby="verdict-title">
    <h2 id="verdict-title" class="visually-hidden">${ctx.t('section.verdict')}</h2>
    ${
      ctx.failure
        ? failureView(ctx)
        : html`<p class="sentence">${sentence(ctx, textOf(ctx.state, 'term'), strong)}</p>${assumptions(ctx)}${warnings(ctx)}`
    }
    <div class="tools">
      <button type="button" @click=${ctx.actions.copyLink}>${ctx.t('action.copy_link')}</button>
      <button type="button" ?disabled=${ctx.failure !== null} @click=${ctx.actions.copyMarkdown}>${ctx.t('action.copy_markdown')}</button>
      <button type="button" @click=${ctx.actions.saveCopy}>${ctx.t('action.save_copy')}</button>
      <span class="said" role="status">${ctx.ui.said}</span>
    </div>
  </section>`;
}

/** @param {Context} ctx */
function tone(ctx) {
  if (ctx.failure || !ctx.answer) return 'wrong';
  const { fits, tight } = ctx.answer.counts;
  return fits ? 'good' : tight ? 'close' : 'none';
}

/** @param {Context} ctx */
function failureView(ctx) {
  const failure = ctx.failure;
  if (!failure) return nothing;
  return html`<p class="sentence">${ctx.t('verdict.failure')}</p>
    <p class="failure">${failureText(ctx, failure)}</p>
    ${ctx.answer ? html`<p class="hint">${ctx.t('verdict.stale')}</p>` : nothing}`;
}

/** Defaults that the engine filled in: nothing that changes the answer stays unsaid. @param {Context} ctx */
function assumptions(ctx) {
  const { answer } = ctx;
  if (!answer?.assumed.length) return nothing;
  return html`<details class="assumed">
    <summary>${ctx.t('assumed.summary', { count: answer.assumed.length })}</summary>
    <ul>${answer.assumed.map((one) => html`<li>${assumedText(ctx, one)}</li>`)}</ul>
    ${answer.selected ? html`<p>${layoutText(ctx, answer.selected.layout)}</p>` : nothing}
  </details>`;
}

/** @param {Context} ctx */
function warnings(ctx) {
  const list = ctx.answer?.warnings ?? [];
  if (!list.length) return nothing;
  return html`<ul class="warnings">${list.map((warning) => html`<li class=${warning.severity}>${reasonText(ctx, warning)}</li>`)}</ul>`;
}
