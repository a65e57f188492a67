/** Reads and writes the catalog's JSON files: stable order is the caller's, layout is ours. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LINE = 100;

/**
 * @template T
 * @param {string} path
 * @param {T} otherwise what a file that is not there yet counts as
 * @returns {T}
 */
export const readJson = (path, otherwise) => (existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : otherwise);

/** Every JSON file of a folder by its name without `.json`. @param {string} folder @returns {Map<string, any>} */
export function readFolder(folder) {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  return new Map(names.map((name) => [name.slice(0, -'.json'.length), readJson(join(folder, name), null)]));
}

/**
 * Pretty JSON, two spaces; a list of plain values stays on one line where it fits, as people write it.
 * @param {unknown} value
 * @param {string} [indent]
 * @returns {string}
 */
export function pretty(value, indent = '') {
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.every((item) => item === null || typeof item !== 'object')) {
      const line = `[${value.map((item) => JSON.stringify(item)).join(', ')}]`;
      if (inner.length + line.length <= LINE) return line;
    }
    return `[\n${value.map((item) => inner + pretty(item, inner)).join(',\n')}\n${indent}]`;
  }
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return '{}';
  return `{\n${entries.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${pretty(item, inner)}`).join(',\n')}\n${indent}}`;
}

/** Pretty JSON whose lists hold one compact entry a line: for long tables of short rows. @param {Record<string, unknown>} value */
export function prettyTable(value) {
  const parts = Object.entries(value).map(([key, item]) => {
    const text = Array.isArray(item)
      ? `[\n${item.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]`
      : pretty(item, '  ');
    return `  ${JSON.stringify(key)}: ${text}`;
  });
  return `{\n${parts.join(',\n')}\n}`;
}

/**
 * Writes only what differs, so that a second import touches nothing.
 * @param {string} path
 * @param {string} text
 * @returns {boolean} whether the file changed
 */
export function writeIfChanged(path, text) {
  const whole = `${text}\n`;
  if (existsSync(path) && readFileSync(path, 'utf8') === whole) return false;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, whole);
  return true;
}

/** File name of a provider. @param {string} name */
export const slug = (name) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
