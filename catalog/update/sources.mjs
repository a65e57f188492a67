/** Where facts come from: the keys that offers and providers cite, and the table that explains them. */
import { existsSync, readFileSync } from 'node:fs';
import { sortedByKey } from './merge.mjs';
import { Refusal } from './report.mjs';

/**
 * @typedef {{ title: string, url: string | null, date: string | null, license: string, note: string | null, verified?: false }} Source
 */

/**
 * Keys of table rows that name no key of their own.
 * @type {Record<string, string[]>}
 */
const NAMED = { '(specs)': ['sparecores'], '(AWS 3y us-east-1)': ['aws-3y'] };

/**
 * `skypilot-*` stands for one key per catalog folder named in the same row.
 * @type {Record<string, string[]>}
 */
const FAMILY = {
  'skypilot-*': ['lambda', 'nebius', 'cudo', 'ovh', 'scaleway', 'hyperbolic', 'seeweb'].map(
    (name) => `skypilot-${name}`,
  ),
};

/** @param {string} cell @returns {string[]} */
const keysOf = (cell) => NAMED[cell] ?? FAMILY[cell] ?? cell.split(',').map((key) => key.trim());

/** The newest date named in a cell, as exact as it is written. @param {string} cell */
const newestDate = (cell) => (cell.match(/\b\d{4}(-\d{2}(-\d{2})?)?\b/g) ?? []).sort().at(-1) ?? null;

/**
 * The rows of the Markdown table whose first column is `key`.
 * @param {string} path
 * @returns {{ key: string, date: string | null, license: string }[] | null}
 */
export function readSourceTable(path) {
  if (!existsSync(path)) return null;
  const lines = readFileSync(path, 'utf8').split('\n');
  const start = lines.findIndex((line) => /^\|\s*key\s*\|/.test(line));
  if (start < 0) return [];
  const end = lines.findIndex((line, i) => i > start && !line.startsWith('|'));
  return lines.slice(start + 2, end < 0 ? undefined : end).flatMap((line) => {
    const [key, , date, license] = line
      .split('|')
      .slice(1)
      .map((cell) => cell.trim());
    return keysOf(key).map((name) => ({
      key: name,
      date: newestDate(date),
      license: license.replaceAll('*', '') || 'unknown',
    }));
  });
}

/**
 * Adds keys that are new and moves dates forward; titles, addresses, licences and notes are the catalog's own.
 * @param {Record<string, Source>} old
 * @param {ReturnType<typeof readSourceTable>} table
 * @param {import('./report.mjs').Report} report
 * @returns {Record<string, Source>}
 */
export function mergeSources(old, table, report) {
  const merged = { ...old };
  for (const { key, date, license } of table ?? []) {
    const before = merged[key];
    if (!before) {
      merged[key] = { title: key, url: null, date, license, note: null };
      report.added.push(`source ${key}`);
      report.unworded.push(`source ${key}: title, address and note`);
    } else if (date && (before.date ?? '') < date) {
      merged[key] = { ...before, date };
      report.changed.push(`source ${key}: ${before.date} -> ${date}`);
    }
  }
  return sortedByKey(merged);
}

/**
 * `a+b` cites two sources: the first gave the on-demand price, the next another column.
 * @param {string} cell
 * @param {Record<string, Source>} sources
 */
export function citedSource(cell, sources) {
  for (const key of cell.split('+')) {
    if (!Object.hasOwn(sources, key))
      throw new Refusal(
        'source',
        `"${key}" is not a known source`,
        'add it to the source table with its date and licence',
      );
  }
  return cell;
}

/**
 * A provider's sources, fact by fact: `egress, block: infracost-golden; billing: known`.
 * @param {string} cell the same with looser spelling, as in the facts
 * @param {Record<string, Source>} sources
 */
export function citedSourceByFact(cell, sources) {
  return cell
    .split(';')
    .map((part) => {
      const colon = part.lastIndexOf(':');
      const facts = part
        .slice(0, Math.max(colon, 0))
        .split(',')
        .map((fact) => fact.trim())
        .join(', ');
      const cited = part
        .slice(colon + 1)
        .replace(/\(.*?\)/g, '')
        .split(',')
        .map((text) => keyIn(text.trim(), sources))
        .join('+');
      return facts ? `${facts}: ${cited}` : cited;
    })
    .join('; ');
}

/** @param {string} text @param {Record<string, Source>} sources */
function keyIn(text, sources) {
  if (text === 'median of offers.csv') return 'catalog-median';
  const key = text.replace(/^median of (\S+) rows$/, '$1').replace(/ page$/, '');
  return citedSource(key, sources);
}
