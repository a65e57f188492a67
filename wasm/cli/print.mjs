/** Answers as text to read in a terminal, in the page's words. */
import { groupsByReason, isRentable, join } from '../../web/machines.js';
import { assumedText, capacityFacts, layoutText, modelText, sentence } from '../../web/phrases.js';
import { reasonText } from '../../web/reasons.js';
import { table } from './table.mjs';

/**
 * @typedef {import('./words.mjs').Words} Words
 * @typedef {import('../../web/context.d.ts').Machine} Machine
 * @typedef {Omit<Machine, 'shape'> & { shape?: Machine['shape'] }} Listed a machine of a list that nothing was asked about has no shape
 * @typedef {import('../rigsizer.d.ts').PlanAnswer} PlanAnswer
 * @typedef {import('../rigsizer.d.ts').EstimateAnswer} EstimateAnswer
 * @typedef {import('../rigsizer.d.ts').ModelDescription} ModelDescription
 * @typedef {import('../rigsizer.d.ts').MemoryEstimate} MemoryEstimate
 * @typedef {import('../rigsizer.d.ts').CatalogIndex} CatalogIndex
 */

/**
 * @param {Words} words
 * @param {PlanAnswer} answer
 * @param {CatalogIndex} catalog
 * @param {{ term: string, limit: number }} options
 */
export function printPlan(words, answer, catalog, { term, limit }) {
  const machines = join(answer, catalog);
  const rentable = machines.filter(isRentable);
  const { t } = words;
  const groups = groupsByReason(machines).map((group) => {
    const name = words.has(`group.${group.code}`) ? t(`group.${group.code}`) : group.code;
    return `${name}${t('list.colon')}${t('why.machines', { count: group.machines.length })}`;
  });
  return paragraphs([
    head(words, answer),
    sentence({ ...words, answer, machines }, term).join(''),
    answer.warnings.map((warning) => reasonText(words, warning)).join('\n'),
    answer.selected ? `${labelled(words, 'section.memory')}${memory(words, answer.selected)}` : '',
    rentable.length
      ? `${t('section.offers')} (${t('offers.month_is')})\n\n${offerTable(words, rentable.slice(0, limit), answer.currency, OF_PLAN)}`
      : '',
    rentable.length > limit ? t('offers.shown', { shown: limit, count: rentable.length }) : '',
    groups.length ? `${t('section.why_not')}\n${groups.map((line) => `  ${line}`).join('\n')}` : '',
  ]);
}

/**
 * @param {Words} words
 * @param {EstimateAnswer} answer
 */
export function printEstimate(words, answer) {
  return paragraphs([
    head(words, answer),
    `${labelled(words, 'section.memory')}${memory(words, answer.estimate)}`,
    [...answer.shape.notes, ...answer.warnings].map((note) => reasonText(words, note)).join('\n'),
  ]);
}

/**
 * @param {Words} words
 * @param {ModelDescription} answer
 */
export function printDescription(words, answer) {
  const { t, fmt } = words;
  const parts = [...answer.parts, ...answer.extra_parts.map((extra) => ({ ...extra, part: `(${extra.part})` }))];
  return paragraphs([
    modelLine(words, answer.model),
    table(
      [t('memory.part'), t('describe.parameters')],
      parts.map(({ part, parameters }) => [part, fmt.integer(parameters)]),
      [1],
    ),
    answer.kv_cache.length
      ? table(
          [t('field.context'), t('line.kv_cache')],
          answer.kv_cache.map(({ context_tokens: tokens, bytes }) => [fmt.integer(tokens), fmt.gib(bytes)]),
          [0, 1],
        )
      : '',
    answer.notes.map((note) => reasonText(words, note)).join('\n'),
  ]);
}

/**
 * @param {Words} words
 * @param {Listed[]} rows
 * @param {string} currency
 * @param {number} limit
 */
export function printOffers(words, rows, currency, limit) {
  return paragraphs([
    rows.length ? offerTable(words, rows.slice(0, limit), currency, OF_LIST) : words.t('offers.none_match'),
    words.t('offers.shown', { shown: Math.min(limit, rows.length), count: rows.length }),
  ]);
}

/**
 * @param {Words} words
 * @param {import('../rigsizer.d.ts').ValidationAnswer} answer
 * @param {number} limit
 */
export function printValidation(words, answer, limit) {
  const { t, fmt } = words;
  const worst = answer.rows
    .filter((row) => row.error_pct !== null)
    .sort((a, b) => Math.abs(b.error_pct ?? 0) - Math.abs(a.error_pct ?? 0));
  const odd = counted(answer.odd_cells.map(({ column, text }) => t('accuracy.odd_cell', { column, text })));
  const ignored = answer.ignored_columns.length
    ? t('accuracy.ignored', { columns: answer.ignored_columns.join(t('list.separator')) })
    : '';
  const high = answer.by_confidence.high;
  return paragraphs([
    [...odd, ignored].filter(Boolean).join('\n'),
    `${t('accuracy.all')}\n\n${errorTable(words, answer.summary)}`,
    high ? `${t('accuracy.high')}\n\n${errorTable(words, high)}` : '',
    worst.length
      ? `${t('accuracy.worst')}\n\n${table(
          ['id', 'source', 'metric', 'measured', 'predicted', 'band', 'error'].map((name) =>
            t(`accuracy.column.${name}`),
          ),
          worst
            .slice(0, limit)
            .map((row) => [
              row.id,
              row.source,
              t(`accuracy.metric.${row.metric}`),
              fmt.number(row.measured),
              fmt.number(row.predicted ?? 0),
              `${fmt.number(row.low ?? 0)} – ${fmt.number(row.high ?? 0)}`,
              signedPercent(words, row.error_pct),
            ]),
          [3, 4, 5, 6],
        )}`
      : '',
    skippedReasons(words, answer.rows),
  ]);
}

/**
 * @param {Words} words
 * @param {Record<string, import('../rigsizer.d.ts').ErrorSummary>} summaries
 */
function errorTable(words, summaries) {
  const { t, fmt } = words;
  const columns = ['metric', 'n', 'skipped', 'ours', 'median', 'p90', 'bias', 'in_band', 'width'];
  const percent = (/** @type {number | null} */ value) => (value === null ? '–' : `${fmt.number(value)} %`);
  return table(
    columns.map((name) => t(`accuracy.column.${name}`)),
    Object.entries(summaries).map(([metric, one]) => [
      t(`accuracy.metric.${metric}`),
      fmt.integer(one.n),
      fmt.integer(one.skipped),
      fmt.integer(one.skipped_ours),
      percent(one.median_abs_pct),
      percent(one.p90_abs_pct),
      signedPercent(words, one.bias_pct),
      percent(one.in_band_pct),
      percent(one.median_width_pct),
    ]),
    [1, 2, 3, 4, 5, 6, 7, 8],
  );
}

/**
 * @param {Words} words
 * @param {import('../rigsizer.d.ts').Comparison[]} rows
 */
function skippedReasons(words, rows) {
  const reasons = rows.flatMap(({ skipped: reason, skipped_ours: ours }) =>
    reason ? [ours ? words.t('accuracy.ours', { reason }) : reason] : [],
  );
  return reasons.length ? `${words.t('accuracy.reasons')}\n${counted(reasons).join('\n')}` : '';
}

/**
 * Each text once, with how often it occurs, the commonest first.
 * @param {string[]} texts
 */
function counted(texts) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const rows = [...counts].sort((a, b) => b[1] - a[1]);
  const wide = String(rows[0]?.[1] ?? 0).length;
  return rows.map(([text, count]) => `  ${String(count).padStart(wide)} × ${text}`);
}

/**
 * @param {Words} words
 * @param {number | null} value
 */
const signedPercent = ({ fmt }, value) => (value === null ? '–' : `${value > 0 ? '+' : ''}${fmt.number(value)} %`);

/** @param {(string | undefined)[]} texts */
const paragraphs = (texts) =>
  `${texts
    .map((text) => text?.trimEnd())
    .filter(Boolean)
    .join('\n\n')}\n`;

/**
 * @param {Words} words
 * @param {PlanAnswer | EstimateAnswer} answer
 */
function head(words, { model, request, assumed }) {
  const lines = [
    `${modelLine(words, model)}\n${labelled(words, 'field.task')}${words.t(`option.task.${request.task}`)}`,
  ];
  return [...lines, ...assumed.map((one) => `  ${assumedText(words, one)}`)].join('\n');
}

/**
 * @param {Words} words
 * @param {import('../rigsizer.d.ts').ModelSummary} model
 */
function modelLine(words, model) {
  return `${model.name}${words.t('list.colon')}${modelText(words, model)}`;
}

/**
 * @param {Words} words
 * @param {MemoryEstimate} estimate
 */
function memory(
  words,
  { label, layout, lines, total, usable_bytes: card, limit_bytes: limit, serving, verdict, reasons },
) {
  const { t, fmt } = words;
  const capacity = serving ? capacityFacts(words, card, serving) : [];
  const rows = lines.map((line) => [t(`line.${line.id}`), fmt.gib(line.bytes), fmt.band(line), line.formula]);
  const sum = [
    t('memory.total'),
    fmt.gib(total.value),
    fmt.band(total),
    t('memory.usable', { usable: fmt.gib(limit) }),
  ];
  return [
    `${label}${t('list.separator')}${layoutText(words, layout)}${t('list.colon')}${t(`state.${verdict}`)}`,
    ...reasons.map((reason) => reasonText(words, reason)),
    '',
    table([t('memory.part'), t('memory.size'), t('memory.range'), t('working.formula')], [...rows, sum], [1, 2]),
    ...capacity.map(({ name, value }) => `${name}${t('list.colon')}${value}`),
  ].join('\n');
}

/** @type {Record<string, { right?: boolean, cell: (words: Words, machine: Listed, currency: string) => string }>} */
const COLUMNS = {
  machine: { cell: (_, { offer }) => `${offer.provider} ${offer.machine}` },
  region: { cell: (_, { offer }) => offer.region },
  accelerators: { cell: ({ fmt }, { offer }) => (offer.label ? `${fmt.number(offer.count)} × ${offer.label}` : '–') },
  memory: {
    right: true,
    cell: ({ fmt }, { offer }) => (offer.memory_gb === null ? '–' : `${fmt.number(offer.memory_gb)} GB`),
  },
  used: {
    right: true,
    cell: ({ t, fmt }, { shape }) =>
      shape?.needed_bytes && shape.limit_bytes !== null
        ? t('offers.needed_of', {
            needed: fmt.gibNumber(shape.needed_bytes.value),
            usable: fmt.gibNumber(shape.limit_bytes),
          })
        : '–',
  },
  price: {
    right: true,
    cell: ({ fmt }, { row }, currency) => (row.price_per_h === null ? '–' : fmt.hourly(row.price_per_h, currency)),
  },
  month: {
    right: true,
    cell: ({ fmt }, { row }, currency) =>
      row.price_per_month === null ? '–' : fmt.monthly(row.price_per_month, currency),
  },
  date: { cell: (_, { offer }) => offer.as_of },
  verdict: { cell: ({ t }, { row }) => t(`state.${row.verdict}`) },
};

/** Columns of a plan, and of the bare list of machines, which are not judged. */
const OF_PLAN = ['machine', 'region', 'accelerators', 'used', 'price', 'month', 'date', 'verdict'];
const OF_LIST = ['machine', 'region', 'accelerators', 'memory', 'price', 'month', 'date'];

/**
 * @param {Words} words
 * @param {Listed[]} machines
 * @param {string} currency
 * @param {string[]} columns
 */
function offerTable(words, machines, currency, columns) {
  return table(
    columns.map((name) => words.t(`column.${name}`)),
    machines.map((machine) => columns.map((name) => COLUMNS[name].cell(words, machine, currency))),
    columns.flatMap((name, index) => (COLUMNS[name].right ? [index] : [])),
  );
}

/**
 * @param {Words} words
 * @param {string} key
 */
const labelled = ({ t }, key) => `${t(key)}${t('list.colon')}`;
