/**
 * What the reader has said, as a small frozen map from field key to value, and its two written forms: the hash of the
 * link and the attributes of the element. Attributes come first: a browser that saves a page keeps attributes and drops
 * the hash. Both use the same token for a value, so that whatever one can hold, the other can.
 *
 * @typedef {string | number | boolean | string[]} Value
 * @typedef {Readonly<Record<string, Value>>} State  only what differs from the initial value
 * @typedef {import('./fields.js').Field} Field
 */
import { FIELDS, fieldOf, hasField } from './fields.js';

/** Version of the link's format: raised when a key changes its meaning. */
export const LINK_VERSION = '1';

/**
 * @param {State} state
 * @param {string} key
 * @returns {Value | undefined}
 */
export function valueIn(state, key) {
  return state[key] ?? fieldOf(key).initial;
}

/**
 * @param {State} state
 * @param {string} key
 */
export const textOf = (state, key) => String(valueIn(state, key) ?? '');

/**
 * @param {State} state
 * @param {string} key
 * @returns {readonly string[]}
 */
export function listOf(state, key) {
  const value = valueIn(state, key);
  return Array.isArray(value) ? value : [];
}

/**
 * A new state with `changes` applied; `undefined`, an empty text or list, and an initial value clear a key.
 * @param {State} state
 * @param {Record<string, Value | undefined>} changes
 * @returns {State}
 */
export function merge(state, changes) {
  /** @type {Record<string, Value>} */
  const next = { ...state };
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined || isInitial(fieldOf(key), value)) delete next[key];
    else next[key] = value;
  }
  return Object.freeze(next);
}

/**
 * @param {Field} field
 * @param {Value} value
 */
function isInitial(field, value) {
  if (value === '' || value === false || value === field.initial) return true;
  return Array.isArray(value) && value.length === 0;
}

/**
 * @param {State} a
 * @param {State} b
 */
export const sameState = (a, b) => toHash(a) === toHash(b);

/** @param {Value} value */
export function toToken(value) {
  return Array.isArray(value) ? value.map(escapeItem).join(',') : value === true ? '' : String(value);
}

/** @param {string} item */
const escapeItem = (item) => item.replaceAll('%', '%25').replaceAll(',', '%2C');

/**
 * A token that cannot be a value of the field gives `undefined`: a broken link loses the broken part only.
 * @param {Field} field
 * @param {string} token
 * @returns {Value | undefined}
 */
export function fromToken(field, token) {
  switch (field.kind) {
    case 'flag':
      return token !== 'false' && token !== '0';
    case 'integer':
    case 'decimal': {
      const number = Number(token);
      return token.trim() !== '' && Number.isFinite(number) ? number : undefined;
    }
    case 'choice':
      return field.open || field.options?.includes(token) ? token : undefined;
    case 'list':
      return token.split(',').filter(Boolean).map(decode).filter(allowedIn(field));
    default:
      return token;
  }
}

/** @param {Field} field */
const allowedIn = (field) => (/** @type {string} */ item) => field.options?.includes(item) ?? true;

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * `#v=1&model=llama-3-8b&task=lora&…`, readable: only what would break the hash is escaped.
 * @param {State} state
 */
export function toHash(state) {
  const pairs = FIELDS.flatMap((field) => {
    const value = field.stated ? valueIn(state, field.key) : state[field.key];
    return value === undefined ? [] : [`${field.key}=${readable(toToken(value))}`];
  });
  return `#${[`v=${LINK_VERSION}`, ...pairs].join('&')}`;
}

/** @param {string} token */
const readable = (token) =>
  encodeURIComponent(token).replaceAll('%2C', ',').replaceAll('%2F', '/').replaceAll('%3A', ':').replaceAll('%20', '+');

/**
 * @param {string} hash with or without `#`
 * @returns {State | null} null when the hash says nothing about a calculation
 */
export function fromHash(hash) {
  /** @type {Record<string, Value | undefined>} */
  const changes = {};
  for (const pair of hash.replace(/^#/, '').split('&')) {
    const at = pair.indexOf('=');
    const key = at < 0 ? pair : pair.slice(0, at);
    if (hasField(key))
      changes[key] = fromToken(fieldOf(key), at < 0 ? '' : decode(pair.slice(at + 1).replaceAll('+', ' ')));
  }
  return Object.keys(changes).length > 0 ? merge({}, changes) : null;
}

/**
 * @param {Element} element
 * @returns {State | null} null when no attribute says anything
 */
export function fromAttributes(element) {
  const said = FIELDS.filter((field) => element.hasAttribute(field.key));
  if (said.length === 0) return null;
  return merge({}, Object.fromEntries(said.map((f) => [f.key, fromToken(f, element.getAttribute(f.key) ?? '')])));
}

/**
 * @param {Element} element
 * @param {State} state
 */
export function toAttributes(element, state) {
  for (const { key } of FIELDS) {
    const value = state[key];
    if (value === undefined) element.removeAttribute(key);
    else element.setAttribute(key, toToken(value));
  }
}
