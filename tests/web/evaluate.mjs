/** A small evaluator for the engine's formulas, apart from the engine: + - * / ( ) numbers, symbols, ceil, max, min. */

/** @type {Record<string, (...values: number[]) => number>} */
const FUNCTIONS = { ceil: (value) => Math.ceil(value), max: Math.max, min: Math.min };

const TOKEN = /\s*(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|[-+*/(),])/gy;

/** @param {string} formula */
function tokens(formula) {
  TOKEN.lastIndex = 0;
  const found = [];
  while (TOKEN.lastIndex < formula.trimEnd().length) {
    const match = TOKEN.exec(formula);
    if (!match) throw new SyntaxError(`cannot read ${formula}`);
    found.push(match[1]);
  }
  return found;
}

/**
 * @param {string} formula
 * @param {Record<string, number>} symbols
 */
export function evaluate(formula, symbols) {
  const rest = tokens(formula);
  /** @param {string} token */
  const expect = (token) => {
    if (rest.shift() !== token) throw new SyntaxError(`${formula} lacks ${token}`);
  };
  const sum = () => {
    let value = product();
    while (rest[0] === '+' || rest[0] === '-') value = rest.shift() === '+' ? value + product() : value - product();
    return value;
  };
  /** @returns {number} */
  const product = () => {
    let value = atom();
    while (rest[0] === '*' || rest[0] === '/') value = rest.shift() === '*' ? value * atom() : value / atom();
    return value;
  };
  /** @returns {number} */
  const atom = () => {
    const token = rest.shift() ?? '';
    if (token === '-') return -atom();
    if (token === '(') {
      const value = sum();
      expect(')');
      return value;
    }
    if (/^\d/.test(token)) return Number(token);
    if (FUNCTIONS[token] && rest[0] === '(') return call(token);
    if (symbols[token] === undefined) throw new ReferenceError(`${formula} uses ${token}, which is no input`);
    return symbols[token];
  };
  /** @param {string} name */
  const call = (name) => {
    expect('(');
    const values = [sum()];
    while (rest[0] === ',') {
      rest.shift();
      values.push(sum());
    }
    expect(')');
    return FUNCTIONS[name](...values);
  };
  const value = sum();
  if (rest.length) throw new SyntaxError(`${formula} goes on after its end`);
  return value;
}
