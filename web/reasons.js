/** The engine's codes as sentences. A code without a text is shown plainly, with its values: nothing is hidden. */

/**
 * @typedef {import('./i18n.js').Translator} Translator
 * @typedef {import('./i18n.js').Values} Values
 * @typedef {import('../wasm/rigsizer.d.ts').Failure} Failure
 */

/**
 * @param {Translator} words
 * @param {{ code: string, values?: Values }} reason
 */
export function reasonText({ t, has }, { code, values = {} }) {
  const key = `reason.${code}`;
  return has(key) ? t(key, values) : plainly(code, values);
}

/**
 * @param {Translator} words
 * @param {Failure['error']} failure
 */
export function failureText({ t, has }, { code, path, message, hint, values }) {
  const key = `failure.${code}`;
  if (has(key)) return t(key, { ...values, path, message, hint }).trim();
  return [message, hint].filter(Boolean).join(' ');
}

/**
 * @param {string} code
 * @param {Values} values
 */
export function plainly(code, values) {
  const named = Object.entries(values).map(([name, value]) => `${name} = ${value}`);
  return named.length ? `${code} (${named.join(', ')})` : code;
}
