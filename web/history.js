/**
 * Undo over whole states. Typing into one field is one step, and what only changes the view is none.
 *
 * @typedef {import('./state.js').State} State
 */
import { fieldOf } from './fields.js';

const LIMIT = 100;
const TYPING_MS = 1500;
/** Fields that are typed into, letter by letter. */
const TYPED = new Set(['text', 'integer', 'decimal']);
const VIEW = new Set(['select', 'sort', 'find', 'show', 'lang']);

export class History {
  /** @type {State[]} */
  #past = [];
  #lastKey = '';
  #lastTime = Number.NEGATIVE_INFINITY;

  get canUndo() {
    return this.#past.length > 0;
  }

  /**
   * @param {State} before the state that is about to be replaced
   * @param {string[]} keys what changes
   * @param {number} now in milliseconds
   */
  record(before, keys, now) {
    if (keys.every((key) => VIEW.has(key))) return;
    const key = keys.length === 1 && TYPED.has(fieldOf(keys[0]).kind) ? keys[0] : '';
    const goesOn = key !== '' && key === this.#lastKey && now - this.#lastTime < TYPING_MS;
    this.#lastKey = key;
    this.#lastTime = now;
    if (!goesOn) this.#past = [...this.#past, before].slice(-LIMIT);
  }

  /** @returns {State | undefined} */
  undo() {
    this.#lastKey = '';
    return this.#past.pop();
  }
}
