/**
 * The data of "How accurate is this?": what the built engine's own `validate` says of every measured run in
 * tests/measured, with the address each was published at. Nothing is computed here but the rounding.
 *
 * @typedef {import('../wasm/rigsizer.d.ts').RigsizerEngine} RigsizerEngine
 * @typedef {import('../wasm/rigsizer.d.ts').ValidationAnswer} ValidationAnswer
 * @typedef {import('../wasm/rigsizer.d.ts').Comparison} Comparison
 * @typedef {import('../wasm/rigsizer.d.ts').ErrorSummary} ErrorSummary
 * @typedef {import('./accuracy.d.ts').Accuracy} Accuracy
 * @typedef {import('./accuracy.d.ts').MeasuredFile} MeasuredFile
 * @typedef {import('./accuracy.d.ts').Source} Source
 */
import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse/sync';

const ROOT = new URL('../', import.meta.url);
const FILES = /** @type {const} */ (['train', 'infer']);

/** Significant digits: a prediction is read as a number, the ends of its band off a drawing. */
const DIGITS = { predicted: 4, low: 3, high: 3 };

/** @param {string} path */
const json = async (path) => JSON.parse(await readFile(new URL(path, ROOT), 'utf8'));

/**
 * The engine's answer for one file of measured runs, and how many runs there are.
 * @param {RigsizerEngine} engine
 * @param {string} name
 */
export async function validated(engine, name) {
  const text = await readFile(new URL(`tests/measured/${name}.csv`, ROOT), 'utf8');
  const [columns, ...rows] = parse(text, { bom: true, skip_empty_lines: true });
  const answer = engine.validate({ columns, rows });
  if ('error' in answer) throw new Error(`tests/measured/${name}.csv: ${answer.error.message}`);
  const key = columns.indexOf('source_key');
  return { answer, runs: rows.length, sources: new Set(rows.map((/** @type {string[]} */ row) => row[key])).size };
}

/**
 * Title and address of a `source_key`; keys such as vllm#13061 name an issue of a project.
 * @param {{ projects: Record<string, string | null>, documents: Record<string, { title: string, url: string | null }> }} known
 * @param {string} key
 * @returns {Source}
 */
export function sourceOf(known, key) {
  const [project, number] = key.split('#');
  if (number === undefined) {
    const document = known.documents[key];
    if (!document) throw new Error(`catalog/measured-sources.json lacks the document ${key}`);
    return document;
  }
  const repository = known.projects[project];
  if (repository === undefined) throw new Error(`catalog/measured-sources.json lacks the project ${project}`);
  if (repository === null) return { title: key, url: null };
  return { title: `${repository}#${number}`, url: `https://github.com/${repository}/issues/${number}` };
}

/**
 * @param {RigsizerEngine} engine
 * @returns {Promise<Accuracy>}
 */
export async function accuracy(engine) {
  const known = await json('catalog/measured-sources.json');
  const { fit } = await json('catalog/calibration.json');
  /** @type {Map<string, number>} */
  const places = new Map();
  const placeOf = (/** @type {string} */ key) => {
    if (!places.has(key)) places.set(key, places.size);
    return /** @type {number} */ (places.get(key));
  };
  const files = [];
  const skipped = [];
  for (const name of FILES) {
    const validation = await validated(engine, name);
    const { summary, rows } = validation.answer;
    files.push(measuredFile(name, validation, placeOf));
    skipped.push(...rows.filter((row) => row.skipped && summary[row.metric].n > 0));
  }
  return {
    files,
    skipped: reasons(skipped),
    sources: [...places.keys()].map((key) => sourceOf(known, key)),
    fit: { confidence: fit.confidence, fitted_on: fit.fitted_on, held_out: fit.held_out },
  };
}

/**
 * @param {MeasuredFile['name']} name
 * @param {{ answer: ValidationAnswer, runs: number, sources: number }} validation
 * @param {(key: string) => number} placeOf
 * @returns {MeasuredFile}
 */
function measuredFile(name, { answer, runs, sources }, placeOf) {
  const predicted = Object.entries(answer.summary).filter(([, { n }]) => n > 0);
  const metrics = predicted.map(([metric]) => metric);
  const high = Object.entries(answer.by_confidence.high ?? {}).filter(([metric]) => metrics.includes(metric));
  const rows = answer.rows.filter((row) => row.predicted !== null);
  return {
    name,
    runs,
    sources,
    summary: { all: rounded(predicted), high: rounded(high) },
    unpredicted: Object.entries(answer.summary)
      .filter(([, { n }]) => n === 0)
      .map(([metric, { skipped }]) => ({ metric, figures: skipped })),
    rows: {
      metric: rows.map((row) => row.metric),
      kind: rows.map((row) => row.kind),
      confidence: rows.map((row) => row.confidence),
      id: rows.map((row) => row.id),
      source: rows.map((row) => placeOf(row.source)),
      measured: rows.map((row) => row.measured),
      predicted: rows.map((row) => short(row.predicted, DIGITS.predicted)),
      low: rows.map((row) => short(row.low, DIGITS.low)),
      high: rows.map((row) => short(row.high, DIGITS.high)),
    },
  };
}

/**
 * @param {Comparison[]} rows
 * @returns {Accuracy['skipped']}
 */
function reasons(rows) {
  /** @type {Map<string, Accuracy['skipped'][number]>} */
  const counts = new Map();
  for (const { skipped: reason = '', skipped_ours: ours = false } of rows) {
    const one = counts.get(reason) ?? { reason, ours, figures: 0 };
    counts.set(reason, { ...one, figures: one.figures + 1 });
  }
  return [...counts.values()].sort((a, b) => b.figures - a.figures);
}

/** @param {[string, ErrorSummary][]} summaries @returns {Record<string, ErrorSummary>} */
const rounded = (summaries) => JSON.parse(JSON.stringify(Object.fromEntries(summaries), hundredths));

/** @param {string} _name @param {unknown} value */
const hundredths = (_name, value) => (typeof value === 'number' ? Number(value.toFixed(2)) : value);

/**
 * @param {number | null} value
 * @param {number} digits
 */
export const short = (value, digits) => Number((value ?? 0).toPrecision(digits));
