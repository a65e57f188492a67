/**
 * Showing the working: a formula of the engine with its symbols replaced by their values. It is never evaluated here.
 *
 * @typedef {import('../wasm/rigsizer.d.ts').Input} Input
 */

const WORD = /[A-Za-z_]\w*/g;

/**
 * @param {string} formula
 * @param {readonly Input[]} inputs
 * @param {(value: number) => string} format
 */
export function filledIn(formula, inputs, format) {
  const values = new Map(inputs.map(({ symbol, value }) => [symbol, value]));
  const text = formula.replace(WORD, (word) => {
    const value = values.get(word);
    return value === undefined ? word : format(value);
  });
  return typeset(text);
}

/** Signs as a reader expects them. @param {string} formula */
export const typeset = (formula) =>
  formula
    .replace(/\s*\*\s*/g, ' × ')
    .replace(/\s*\/\s*/g, ' ÷ ')
    .replaceAll(' - ', ' − ');
