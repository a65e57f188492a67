/**
 * Ready questions. The scenarios are whole situations (model, task, filters, price term), the shortcuts only a job.
 * Pressing one replaces what the reader said about the job and keeps language, currency and exchange rates.
 *
 * @typedef {import('./state.js').State} State
 * @typedef {import('./state.js').Value} Value
 * @typedef {{ id: string, set: Record<string, Value> }} Preset
 */
import { merge, sameState } from './state.js';

/** What a preset leaves as it is. */
const KEPT = ['lang', 'currency', 'rate-cny', 'rate-eur'];

/** @type {Preset[]} */
export const SCENARIOS = [
  { id: 'student', set: { model: 'qwen2.5-1.5b', task: 'qlora', sequence: 1024, 'max-count': 1 } },
  { id: 'finetune', set: { model: 'qwen-14b', task: 'lora', sequence: 2048, whole: true } },
  {
    id: 'team',
    set: {
      model: 'llama-3.1-70b',
      task: 'serve',
      context: 8192,
      concurrency: 16,
      kinds: ['public-cloud'],
      whole: true,
    },
  },
];

/** @type {Preset[]} */
export const SHORTCUTS = [
  { id: 'serve', set: { model: 'llama-3-8b', task: 'serve', weights: 'bf16', context: 8192 } },
  { id: 'full', set: { model: 'llama-3-8b', task: 'full', sequence: 2048 } },
  { id: 'lora', set: { model: 'llama-3-8b', task: 'lora', sequence: 2048 } },
  { id: 'qlora', set: { model: 'llama-3-8b', task: 'qlora', sequence: 2048 } },
];

/**
 * @param {State} state
 * @param {Preset} preset
 * @returns {State}
 */
export function applied(state, preset) {
  const kept = Object.fromEntries(KEPT.map((key) => [key, state[key]]));
  return merge(merge({}, kept), preset.set);
}

/**
 * Whether the state asks exactly what the preset asks, whichever machine is looked at.
 * @param {State} state
 * @param {Preset} preset
 */
export function isApplied(state, preset) {
  const asked = merge(state, { select: '', sort: '', find: '', show: '' });
  return sameState(asked, applied(state, preset));
}
