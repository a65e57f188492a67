/** Reads CSV tables row by row with typed cells. An empty cell is null: unknown, never filled. */
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parse } from 'csv-parse/sync';
import { Refusal, reporting } from './report.mjs';

const DATE = /^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$/;

/** One row; every reader returns null for an empty cell and throws a {@link Refusal} for a bad one. */
export class Row {
  /** @param {Record<string, string>} cells */
  constructor(cells) {
    this.cells = cells;
  }

  /** @param {string} column */
  text(column) {
    const value = this.cells[column]?.trim();
    return value ? value : null;
  }

  /** @param {string} column */
  required(column) {
    const value = this.text(column);
    if (value === null)
      throw new Refusal(column, 'is empty', 'fill it in: an entry without it cannot be told apart or cited');
    return value;
  }

  /**
   * @param {string} column
   * @param {{ above?: number, min?: number, max?: number, whole?: boolean }} [range] `above` excludes its bound
   */
  number(column, { above = -Infinity, min = -Infinity, max = Infinity, whole = false } = {}) {
    const text = this.text(column);
    if (text === null) return null;
    const value = /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
    if (!Number.isFinite(value))
      throw new Refusal(
        column,
        `"${text}" is not a number`,
        'write a plain number, or leave the cell empty if unknown',
      );
    if (value <= above || value < min || value > max)
      throw new Refusal(
        column,
        `${text} is out of range`,
        'check the unit and the sign, or leave the cell empty if unknown',
      );
    if (whole && !Number.isInteger(value))
      throw new Refusal(column, `${text} is not a whole number`, 'write whole units');
    return value;
  }

  /**
   * @template {string | boolean} T
   * @param {string} column
   * @param {Record<string, T>} meanings what each allowed cell text means
   */
  choice(column, meanings) {
    const text = this.text(column);
    if (text === null) return null;
    if (!Object.hasOwn(meanings, text))
      throw new Refusal(
        column,
        `"${text}" is not one of ${Object.keys(meanings).join(', ')}`,
        'use one of these, or add the new one to the importer and the schema',
      );
    return meanings[text];
  }

  /** A day, a month or a year: sources are often no more exact. @param {string} column */
  date(column) {
    const text = this.required(column);
    if (!DATE.test(text)) throw new Refusal(column, `"${text}" is not a date`, 'write YYYY-MM-DD, YYYY-MM or YYYY');
    return text;
  }
}

/**
 * Reads every row of a table with `read`; refused rows are reported and left out.
 * A missing file gives null: that part of the catalog stays as it is.
 * @template T
 * @param {string} path
 * @param {string[]} columns that must be there
 * @param {import('./report.mjs').Report} report
 * @param {(row: Row) => T} read
 * @returns {T[] | null}
 */
export function readRows(path, columns, report, read) {
  if (!existsSync(path)) return null;
  const file = basename(path);
  /** @type {{ record: string[], info: { lines: number } }[]} */
  let records;
  try {
    records = /** @type {any} */ (
      parse(readFileSync(path), { bom: true, relax_column_count: true, skip_empty_lines: true, info: true })
    );
  } catch (error) {
    report.refused.push(
      `${file}: ${/** @type {Error} */ (error).message} -> mend the quotes of that line; the whole file was left out`,
    );
    return [];
  }
  const [header, ...body] = records;
  const missing = columns.filter((column) => !header?.record.includes(column));
  if (missing.length > 0) {
    report.refused.push(
      `${file}, row 1: no column ${missing.join(', ')} -> add it to the header; the whole file was left out`,
    );
    return [];
  }
  return body.flatMap(({ record, info }) => {
    const place = `${file}, row ${info.lines}`;
    if (record.length !== header.record.length) {
      report.refused.push(
        `${place}: ${record.length} cells where the header has ${header.record.length} -> quote cells that hold a comma`,
      );
      return [];
    }
    const cells = Object.fromEntries(header.record.map((name, i) => [name, record[i]]));
    return reporting(report, place, () => [read(new Row(cells))]) ?? [];
  });
}
