/**
 * The data block of "How accurate is this?" as its view wants it: one entry for each figure that is predicted, such as
 * the memory of training jobs, with its rows in order of what was measured.
 *
 * @typedef {import('../wasm/rigsizer.d.ts').ErrorSummary} ErrorSummary
 * @typedef {import('./accuracy.d.ts').Accuracy} Accuracy
 * @typedef {import('./accuracy.d.ts').MeasuredFile} MeasuredFile
 * @typedef {import('./accuracy.d.ts').Source} Source
 * @typedef {object} Row
 * @property {string} id
 * @property {Source} source
 * @property {string} kind
 * @property {boolean} sure   of high confidence: fully described by its source
 * @property {number} measured
 * @property {number} predicted
 * @property {number} low
 * @property {number} high
 * @property {number} error_pct
 * @typedef {object} Figure
 * @property {string} key     "train/memory_gib"
 * @property {string} file
 * @property {string} metric
 * @property {{ all: ErrorSummary, high: ErrorSummary | undefined }} summary
 * @property {string[]} kinds  in order of first appearance
 * @property {Row[]} rows
 */
import { unpackedText } from './packed.js';

/** @param {string} block @returns {Accuracy} */
export const readAccuracy = (block) => JSON.parse(unpackedText(block));

/** @param {Accuracy} accuracy @returns {Figure[]} */
export const figuresOf = ({ files, sources }) =>
  files.flatMap((file) => {
    const rows = rowsOf(file, sources);
    return Object.keys(file.summary.all).map((metric) => {
      const mine = rows.filter((row) => row.metric === metric).sort((a, b) => a.measured - b.measured);
      return {
        key: `${file.name}/${metric}`,
        file: file.name,
        metric,
        summary: { all: file.summary.all[metric], high: file.summary.high[metric] },
        kinds: [...new Set(mine.map(({ kind }) => kind))].sort(),
        rows: mine,
      };
    });
  });

/**
 * The error is the engine's own (engine/validate/validate.h), taken again from the two figures beside it: stored, it
 * would be a sixth of the block. A test holds it to the engine's.
 * @param {MeasuredFile} file
 * @param {Source[]} sources
 * @returns {(Row & { metric: string })[]}
 */
function rowsOf({ rows }, sources) {
  return rows.id.map((id, i) => ({
    id,
    metric: rows.metric[i],
    source: sources[rows.source[i]],
    kind: rows.kind[i],
    sure: rows.confidence[i] === 'high',
    measured: rows.measured[i],
    predicted: rows.predicted[i],
    low: rows.low[i],
    high: rows.high[i],
    error_pct: (100 * (rows.predicted[i] - rows.measured[i])) / rows.measured[i],
  }));
}

/** The rows furthest off. @param {Row[]} rows @param {number} count */
export const worst = (rows, count) =>
  [...rows].sort((a, b) => Math.abs(b.error_pct) - Math.abs(a.error_pct)).slice(0, count);
