/**
 * `.value=${calm(x)}`: sets an input to x unless it already says the same, so that a reader in the middle of "0.05"
 * is not put back to "0" and one who has typed over the state is put right.
 */
import { noChange } from 'lit';
import { Directive, directive } from 'lit/directive.js';
import { setCommittedValue } from 'lit/directive-helpers.js';

class Calm extends Directive {
  /** @param {string} value */
  render(value) {
    return value;
  }

  /**
   * @param {import('lit/directive.js').PropertyPart} part
   * @param {[string]} values
   */
  update(part, [value]) {
    const typed = /** @type {HTMLInputElement} */ (part.element).value;
    const same = typed === value || (typed !== '' && value !== '' && Number(typed) === Number(value));
    if (same) return noChange;
    setCommittedValue(part); // forget what was written last: the reader may have typed since
    return value;
  }
}

export const calm = directive(Calm);
