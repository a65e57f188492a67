/**
 * From what the reader said to the engine's request: a copy of values into places, nothing computed.
 *
 * @typedef {import('../wasm/rigsizer.d.ts').PlanRequest} PlanRequest
 * @typedef {import('../wasm/rigsizer.d.ts').ModelRef} ModelRef
 * @typedef {import('./state.js').State} State
 */
import { FIELDS } from './fields.js';
import { textOf, valueIn } from './state.js';

/**
 * @param {State} state
 * @param {string} [today] ISO date of the reader, for the age of prices
 * @returns {PlanRequest}
 */
export function planRequest(state, today) {
  /** @type {Record<string, any>} */
  const request = {};
  const task = textOf(state, 'task');
  for (const field of FIELDS) {
    const value = valueIn(state, field.key);
    const applies = field.path && value !== undefined && (field.tasks?.includes(task) ?? true);
    if (applies && field.path) place(request, field.path, value);
  }
  request.model = modelRef(state);
  if (today) request.today = today;
  return /** @type {PlanRequest} */ (request);
}

/**
 * @param {State} state
 * @returns {ModelRef}
 */
export function modelRef(state) {
  return textOf(state, 'from') === 'config' ? { config_text: textOf(state, 'config') } : textOf(state, 'model');
}

/**
 * @param {Record<string, any>} target
 * @param {string[]} path
 * @param {unknown} value
 */
function place(target, path, value) {
  const last = path[path.length - 1];
  let node = target;
  for (const part of path.slice(0, -1)) {
    node[part] ??= {};
    node = node[part];
  }
  node[last] = value;
}
