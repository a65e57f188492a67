/** Plain text tables whose columns line up, Chinese characters counted as two wide. */

const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/gu;

/** @param {string} text */
export const width = (text) => text.length + (text.match(WIDE)?.length ?? 0);

/**
 * @param {string[]} head
 * @param {string[][]} rows
 * @param {number[]} [right] columns that are set to the right
 */
export function table(head, rows, right = []) {
  const widths = head.map((title, column) => Math.max(width(title), ...rows.map((row) => width(row[column] ?? ''))));
  const line = (/** @type {string[]} */ cells) =>
    cells
      .map((cell, column) => {
        const space = ' '.repeat(widths[column] - width(cell));
        return right.includes(column) ? space + cell : cell + space;
      })
      .join('  ')
      .trimEnd();
  return `${[line(head), widths.map((n) => '-'.repeat(n)).join('  '), ...rows.map(line)].join('\n')}\n`;
}
