/**
 * Predicted against measured, both on a logarithmic scale: on the diagonal they are equal. Everything is placed in percent
 * of a square, so the drawing follows the width of the page without a script.
 */
import { html, nothing, svg } from 'lit';

/**
 * @typedef {import('../context.d.ts').Context} Context
 * @typedef {import('../measured.js').Row} Row
 * @typedef {{ low: number, high: number }} Domain
 */

/** One shape for each kind, in the order of the kinds, so that marks differ without their colour. */
const SHAPES = [
  'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0',
  'M-3.5 -3.5h7v7h-7z',
  'M0 -4.8L4.6 3.4H-4.6z',
  'M0 -5L5 0L0 5L-5 0z',
  'M0 4.8L4.6 -3.4H-4.6z',
  'M-1.4 -4.6h2.8v3.2h3.2v2.8h-3.2v3.2h-2.8v-3.2h-3.2v-2.8h3.2z',
];
/** Room between the outermost marks and the frame, as a factor. */
const MARGIN = 1.2;
/** The lines beside the diagonal. */
const TENTH = 1.1;
const MOST_TICKS = 7;
/** How near a pointer must come to a mark, in pixels. */
const REACH = 24;

/** @param {number} index of a kind */
export const shapeView = (index) =>
  svg`<path class=${`mark mark-${index % SHAPES.length}`} d=${SHAPES[index % SHAPES.length]}></path>`;

/**
 * @param {Context} ctx
 * @param {{ rows: Row[], kinds: string[], label: string, chosen: string, choose: (id: string) => void }} plot
 */
export function scatterView(ctx, { rows, kinds, label, chosen, choose }) {
  const domain = domainOf(rows);
  const x = (/** @type {number} */ value) => percent(share(value, domain));
  const y = (/** @type {number} */ value) => percent(1 - share(value, domain));
  const { low, high } = domain;
  const current = rows.find(({ id }) => id === chosen);
  const near = (/** @type {PointerEvent} */ event) => {
    const row = nearest(rows, domain, event);
    if (row && row.id !== chosen) choose(row.id);
  };
  // Keys and focus are listened for on the box: an svg that listens for focus would itself be a stop of the Tab key.
  return html`<div class="scatter" @keydown=${(/** @type {KeyboardEvent} */ event) => step(rows, chosen, choose, event)}
    @focusin=${(/** @type {FocusEvent} */ event) => choose(/** @type {SVGElement} */ (event.target).dataset.row ?? '')}>
    <svg role="group" aria-label=${label} @pointermove=${near} @pointerdown=${near}>
      <rect class="frame" width="100%" height="100%"></rect>
      <g aria-hidden="true">
        ${ticks(domain).map(
          (
            tick,
          ) => svg`<line class="grid" x1=${x(tick)} x2=${x(tick)} y1="0" y2="100%"></line><line class="grid" x1="0" x2="100%" y1=${y(tick)} y2=${y(tick)}></line>
          <text x=${x(tick)} y="100%" dy="17" text-anchor="middle">${ctx.fmt.count(tick)}</text><text x="0" y=${y(tick)} dx="-7" dy="4" text-anchor="end">${ctx.fmt.count(tick)}</text>`,
        )}
        <line class="tenth" x1="0" y1=${y(low * TENTH)} x2=${x(high / TENTH)} y2="0"></line>
        <line class="tenth" x1=${x(low * TENTH)} y1="100%" x2="100%" y2=${y(high / TENTH)}></line>
        <line class="equal" x1="0" y1="100%" x2="100%" y2="0"></line>
        <text class="axis" x="50%" y="100%" dy="36" text-anchor="middle">${ctx.t('accuracy.column.measured')}</text>
        <text class="axis" x="0" y="0" dx="-7" dy="-8">${ctx.t('accuracy.column.predicted')}</text>
      </g>
      ${rows.map((row, index) => markView(ctx, row, kinds.indexOf(row.kind), { x: x(row.measured), y: y(row.predicted), stop: current ? row === current : index === 0 }))}
      ${current ? svg`<g class="current" aria-hidden="true"><line x1=${x(current.measured)} x2=${x(current.measured)} y1=${y(current.low)} y2=${y(current.high)}></line><circle cx=${x(current.measured)} cy=${y(current.predicted)} r="8"></circle></g>` : nothing}
    </svg>
  </div>`;
}

/**
 * @param {Context} ctx
 * @param {Row} row
 * @param {number} kind
 * @param {{ x: string, y: string, stop: boolean }} place `stop`: the one mark that the Tab key comes to
 */
const markView = (ctx, row, kind, { x, y, stop }) =>
  svg`<svg class="place" x=${x} y=${y} role="img" tabindex=${stop ? 0 : -1} data-row=${row.id} aria-label=${`${row.id}, ${kindText(ctx, row.kind)}`}>${shapeView(kind)}</svg>`;

/**
 * @param {Context} ctx
 * @param {string} kind of estimate
 */
export const kindText = (ctx, kind) => (ctx.has(`accuracy.kind.${kind}`) ? ctx.t(`accuracy.kind.${kind}`) : kind);

/** @param {Row[]} rows @returns {Domain} */
function domainOf(rows) {
  const values = rows.flatMap(({ measured, predicted }) => [measured, predicted]).filter((value) => value > 0);
  return { low: Math.min(...values) / MARGIN, high: Math.max(...values) * MARGIN };
}

/**
 * Place on the scale, 0 to 1; what lies below it, such as a prediction of nothing, is drawn on its edge.
 * @param {number} value
 * @param {Domain} domain
 */
const share = (value, { low, high }) =>
  Math.min(1, Math.max(0, Math.log(Math.max(value, low) / low) / Math.log(high / low)));

/** @param {number} part */
const percent = (part) => `${(100 * part).toFixed(2)}%`;

/** Round numbers on the scale: 1, 2 and 5 of every power of ten, or fewer where those would crowd. @param {Domain} domain */
function ticks({ low, high }) {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - first }, (_, i) => 10 ** (first + i));
  const inside = (/** @type {number[]} */ steps) =>
    powers.flatMap((power) => steps.map((step) => step * power)).filter((tick) => tick >= low && tick <= high);
  const fine = inside([1, 2, 5]);
  return fine.length <= MOST_TICKS ? fine : inside([1]);
}

/**
 * @param {Row[]} rows
 * @param {Domain} domain
 * @param {PointerEvent} event
 */
function nearest(rows, domain, event) {
  const { left, top, width, height } = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
  const [px, py] = [event.clientX - left, event.clientY - top];
  const distances = rows.map((row) =>
    Math.hypot(share(row.measured, domain) * width - px, (1 - share(row.predicted, domain)) * height - py),
  );
  const least = Math.min(...distances);
  return least <= REACH ? rows[distances.indexOf(least)] : undefined;
}

/**
 * Arrow keys go through the marks in order of what was measured.
 * @param {Row[]} rows
 * @param {string} chosen
 * @param {(id: string) => void} choose
 * @param {KeyboardEvent} event
 */
function step(rows, chosen, choose, event) {
  const at = Math.max(
    0,
    rows.findIndex(({ id }) => id === chosen),
  );
  const last = rows.length - 1;
  const to = { ArrowRight: at + 1, ArrowUp: at + 1, ArrowLeft: at - 1, ArrowDown: at - 1, Home: 0, End: last }[
    event.key
  ];
  if (to === undefined) return;
  event.preventDefault();
  const { id } = rows[Math.min(last, Math.max(0, to))];
  choose(id);
  /** @type {SVGElement | null} */ (
    /** @type {Element} */ (event.currentTarget).querySelector(`[data-row="${id}"]`)
  )?.focus();
}
