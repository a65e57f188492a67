/**
 * What one import did: things added and changed, rows refused with a reason a person can act on,
 * and texts that someone still has to write in the catalog's own words.
 */

/** Thrown while a row is read; the row is left out and the reason is reported. */
export class Refusal extends Error {
  /**
   * @param {string} column
   * @param {string} problem what is wrong with the cell
   * @param {string} remedy what to do about it
   */
  constructor(column, problem, remedy) {
    super(problem);
    this.column = column;
    this.remedy = remedy;
  }
}

/**
 * @typedef {{ added: string[], changed: string[], refused: string[], unworded: string[] }} Report
 */

/** @returns {Report} */
export const emptyReport = () => ({ added: [], changed: [], refused: [], unworded: [] });

/**
 * Runs `read`, and turns a refusal into a line of the report.
 * @template T
 * @param {Report} report
 * @param {string} place file and row
 * @param {() => T} read
 * @returns {T | undefined}
 */
export function reporting(report, place, read) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    report.refused.push(`${place}, column ${error.column}: ${error.message} -> ${error.remedy}`);
    return undefined;
  }
}

/**
 * @param {Report} report
 * @returns {string}
 */
export function reportText(report) {
  const sections = /** @type {const} */ ([
    ['added', 'added'],
    ['changed', 'changed'],
    ['unworded', 'needs our own words'],
    ['refused', 'refused'],
  ]);
  const lines = sections.flatMap(([key, title]) => report[key].map((line) => `${title}: ${line}`));
  const counts = sections.map(([key, title]) => `${report[key].length} ${title}`).join(', ');
  return [...lines, counts].join('\n');
}
