/**
 * Texts by key, one JSON file per language with equal keys (a test). A text is a template: `{name}` is a value,
 * `{name:format}` a value through one of the formatters; an object of plural forms is chosen by the value `count`.
 *
 * @typedef {string | Record<string, string>} Text
 * @typedef {Record<string, Text>} Strings
 * @typedef {Record<string, unknown>} Values
 * @typedef {import('./format.js').Formats} Formats
 * @typedef {object} Translator
 * @property {(key: string, values?: Values) => string} t     the text of a key
 * @property {(key: string, values?: Values) => unknown[]} parts  the same as pieces, so that values may be markup
 * @property {(key: string) => boolean} has
 */
import { byName } from './format.js';

/**
 * @param {string} locale
 * @param {Strings} strings
 * @param {Formats} formats
 * @returns {Translator}
 */
export function translator(locale, strings, formats) {
  const plural = new Intl.PluralRules(locale);
  const format = byName(formats);

  /**
   * @param {string} key
   * @param {Values} values
   */
  function template(key, values) {
    const text = strings[key];
    if (text === undefined) return key;
    if (typeof text === 'string') return text;
    return text[plural.select(Number(values.count))] ?? text.other;
  }

  /** @type {Translator['parts']} */
  function parts(key, values = {}) {
    return split(template(key, values)).map((piece) => {
      if (typeof piece === 'string') return piece;
      const value = values[piece.name];
      return piece.format ? format(piece.format, value) : plain(value, formats);
    });
  }

  return { parts, t: (key, values) => parts(key, values).join(''), has: (key) => strings[key] !== undefined };
}

/**
 * @param {unknown} value
 * @param {Formats} formats
 */
const plain = (value, formats) => (typeof value === 'number' ? formats.number(value) : (value ?? ''));

/**
 * @param {string} template
 * @returns {(string | { name: string, format?: string })[]}
 */
export function split(template) {
  let pieces = known.get(template);
  if (!pieces) known.set(template, (pieces = splitAnew(template)));
  return pieces;
}

/** @type {Map<string, ReturnType<typeof splitAnew>>} */
const known = new Map();

/**
 * @param {string} template
 * @returns {(string | { name: string, format?: string })[]}
 */
function splitAnew(template) {
  return template
    .split(/(\{\w+(?::\w+)?\})/)
    .filter(Boolean)
    .map((piece) => {
      const match = /^\{(\w+)(?::(\w+))?\}$/.exec(piece);
      return match ? { name: match[1], format: match[2] } : piece;
    });
}
