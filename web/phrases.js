/** Sentences about an answer that the page and the command line share. Words and places only; no markup, no numbers made. */
import { fieldAt } from './fields.js';
import { isRentable } from './machines.js';
import { plainly } from './reasons.js';

/**
 * @typedef {import('./context.d.ts').Context} Context
 * @typedef {import('./context.d.ts').Machine} Machine
 * @typedef {import('../wasm/rigsizer.d.ts').Layout} Layout
 * @typedef {Pick<Context, 't' | 'parts' | 'has' | 'fmt' | 'answer' | 'machines'>} Told
 */

/**
 * The cheapest machine that fits, as the engine picked it.
 * @param {Told} ctx
 * @returns {Machine | undefined}
 */
export function cheapest(ctx) {
  const id = ctx.answer?.picks.find(({ pick }) => pick === 'cheapest')?.offer;
  return ctx.machines.find(({ row }) => row.id === id);
}

/**
 * The answer in a sentence or three.
 * @param {Told} ctx
 * @param {string} term price term that ranked
 * @param {(text: string) => unknown} strong how to stress a piece
 * @returns {unknown[]}
 */
export function sentence(ctx, term, strong = (text) => text) {
  const { answer, fmt } = ctx;
  if (!answer) return [ctx.t('verdict.waiting')];
  const { counts } = answer;
  const gap = ctx.t('sentence.separator');
  const best = cheapest(ctx);
  if (!best || !isRentable(best)) {
    const some = counts.fits + counts.tight > 0;
    return [ctx.t(some ? 'verdict.tight' : 'verdict.none', { count: counts.tight }), gap, nearest(ctx)];
  }
  const { offer, row, shape } = best;
  const machines = strong(fmt.integer(counts.fits || counts.tight));
  const found = { count: counts.fits || counts.tight, offers: counts.offers, machines };
  return [
    ctx.parts(counts.fits ? 'verdict.fits' : 'verdict.tight', found),
    gap,
    ctx.parts('verdict.cheapest', {
      machine: strong(`${offer.provider} ${offer.machine}`),
      hour: strong(row.price_per_h === null ? '–' : fmt.hourly(row.price_per_h, answer.currency)),
      month: row.price_per_month === null ? '–' : fmt.monthly(row.price_per_month, answer.currency),
      term: ctx.t(`option.term.${term}`),
    }),
    gap,
    shape.needed_bytes
      ? ctx.t(shape.count > 1 ? 'verdict.needs_each' : 'verdict.needs_one', {
          needed: fmt.gib(shape.needed_bytes.value),
          band: fmt.band(shape.needed_bytes),
          usable: fmt.gib(shape.limit_bytes ?? shape.usable_bytes),
          accelerator: shape.label,
          count: shape.count,
        })
      : '',
    roomy(ctx, best, strong),
  ].flat();
}

/**
 * The cheapest machine with memory to spare, where it is another one.
 * @param {Told} ctx
 * @param {Machine} best
 * @param {(text: string) => unknown} strong
 */
function roomy(ctx, best, strong) {
  const id = ctx.answer?.picks.find(({ pick }) => pick === 'cheapest_roomy')?.offer;
  const machine = ctx.machines.find(({ row }) => row.id === id);
  if (!machine || machine === best || machine.row.price_per_h === null) return [];
  return [
    ctx.t('sentence.separator'),
    ctx.parts('verdict.roomy', {
      machine: strong(`${machine.offer.provider} ${machine.offer.machine}`),
      hour: ctx.fmt.hourly(machine.row.price_per_h, ctx.answer?.currency ?? 'USD'),
    }),
  ].flat();
}

/** Where nothing fits: the machine that comes nearest, which the engine has selected. @param {Told} ctx */
function nearest(ctx) {
  const selected = ctx.answer?.selected;
  if (!selected) return '';
  return ctx.t('verdict.nearest', {
    label: selected.label,
    needed: ctx.fmt.gib(selected.total.value),
    usable: ctx.fmt.gib(selected.limit_bytes),
  });
}

/**
 * @param {Pick<Context, 't'>} ctx
 * @param {Layout} layout
 */
export function layoutText({ t }, layout) {
  const words = [t('layout.accelerators', { count: layout.accelerators })];
  if (layout.tensor_parallel > 1) words.push(t('layout.tensor_parallel', { n: layout.tensor_parallel }));
  if (layout.data_parallel > 1) words.push(t('layout.data_parallel', { n: layout.data_parallel }));
  if (layout.sharding !== 'none') words.push(t(`layout.sharding.${layout.sharding}`));
  return words.join(t('list.separator'));
}

/**
 * A default that the engine filled in.
 * @param {Pick<Context, 't' | 'has' | 'fmt'>} ctx
 * @param {{ path: string, value: string | number, why: string }} one
 */
export function assumedText({ t, has, fmt }, { path, value, why }) {
  const field = fieldAt(path);
  const name = field ? t(`field.${field.key}`) : path;
  const named = [`option.${field?.key}.${value}`, `format.${value}`].find(has);
  const shown = typeof value === 'number' ? fmt.integer(value) : named ? t(named) : value;
  const reason = has(`assumed.why.${why}`) ? t(`assumed.why.${why}`) : plainly(why, {});
  return t('assumed.one', { name, value: shown, why: reason });
}

/**
 * What the engine read out of a model, in one line.
 * @param {Pick<Context, 't'>} ctx
 * @param {import('../wasm/rigsizer.d.ts').ModelSummary} model
 */
export function modelText({ t }, model) {
  const words = [t('model.parameters', { n: model.parameters })];
  if (model.active_parameters < model.parameters) words.push(t('model.active', { n: model.active_parameters }));
  words.push(t('model.layers', { n: model.layers }));
  if (model.kv_bytes_per_token_16bit > 0) words.push(t('model.kv', { n: model.kv_bytes_per_token_16bit }));
  if (model.max_context_tokens !== null) words.push(t('model.context', { n: model.max_context_tokens }));
  return words.join(t('list.separator'));
}

/**
 * What a serving engine makes of a machine, as names and values to set in a list.
 * @param {Pick<Context, 't' | 'fmt'>} ctx
 * @param {number} card bytes of one accelerator
 * @param {import('../wasm/rigsizer.d.ts').ServingCapacity} serving
 */
export function capacityFacts({ t, fmt }, card, serving) {
  const { memory_fraction: fraction, least_memory_fraction: least } = serving;
  const facts = [
    { name: t('capacity.longest'), value: t('capacity.tokens', { count: serving.longest_context_tokens }) },
    { name: t('capacity.most'), value: t('capacity.sequences', { count: serving.highest_concurrency }) },
    { name: t('capacity.needed'), value: fmt.gib(serving.needed_bytes) },
  ];
  if (fraction === null) return facts;
  const share = fmt.share(serving.reserved_bytes / card);
  return [
    ...facts,
    { name: t('capacity.reserved'), value: t('capacity.of_card', { size: fmt.gib(serving.reserved_bytes), share }) },
    { name: t('capacity.fraction'), value: fmt.number(fraction) },
    {
      name: t('capacity.least'),
      value: least === null ? t('capacity.no_fraction') : fmt.number(Math.ceil(least * 1000) / 1000),
    },
  ];
}
