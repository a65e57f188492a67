/** What each command asks the engine. Nothing is computed here: requests are put together, answers handed on. */
import { existsSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { fieldOf } from '../../web/fields.js';
import { answered, wrong } from './errors.mjs';
import { FIELDS_OF, listed, numberOr, withFlags } from './flags.mjs';
import { readRequest, readText } from './input.mjs';
import { printDescription, printEstimate, printOffers, printPlan, printValidation } from './print.mjs';

/**
 * @typedef {import('./run.mjs').Call} Call
 * @typedef {import('./run.mjs').Outcome} Outcome
 * @typedef {import('../rigsizer.d.ts').PlanRequest} PlanRequest
 * @typedef {import('../rigsizer.d.ts').EstimateRequest} EstimateRequest
 */

/** @param {Call} call @returns {Promise<Outcome>} */
export async function plan(call) {
  const request = /** @type {PlanRequest} */ (await requestOf(call, 'plan'));
  if (call.flags.today) request.today = String(call.flags.today);
  const limit = limitOf(call);
  const answer = answered(call.engine.plan(request));
  const term = request.term ?? fieldOf('term').initial ?? '';
  return {
    json: answer,
    text: () => printPlan(call.words, answer, call.engine.catalog(), { term, limit }),
    status: answer.counts.fits + answer.counts.tight > 0 ? 0 : 1,
  };
}

/** @param {Call} call @returns {Promise<Outcome>} */
export async function estimate(call) {
  const request = /** @type {EstimateRequest} */ (await requestOf(call, 'estimate'));
  if (call.flags.accelerator) request.accelerator = String(call.flags.accelerator);
  if (call.flags.count) request.count = /** @type {number} */ (numberOr(String(call.flags.count)));
  const answer = answered(call.engine.estimate(request));
  const { verdict } = answer.estimate;
  return {
    json: answer,
    text: () => printEstimate(call.words, answer),
    status: verdict === 'fits' || verdict === 'tight' ? 0 : 1,
  };
}

/** @param {Call} call @returns {Promise<Outcome>} */
export async function describe({ engine, words, flags, positionals, stdin }) {
  const name = onePositional(
    positionals,
    'describe needs a config.json or the id of a model in the catalog.',
    'describe llama-3-8b',
  );
  const file = name === '-' || existsSync(name) || /[/\\]|\.json$/i.test(name);
  const model = file ? { config_text: await readText(name, stdin) } : name;
  const contexts = Array.isArray(flags.contexts) ? { contexts: listed(flags.contexts).map(numberOr) } : {};
  const request = /** @type {import('../rigsizer.d.ts').DescribeRequest} */ ({ model, ...contexts });
  const answer = answered(engine.describe(request));
  return { json: answer, text: () => printDescription(words, answer), status: 0 };
}

/** @param {Call} call @returns {Promise<Outcome>} */
export async function validate(call) {
  const name = onePositional(call.positionals, 'validate needs a CSV file of measured runs.', 'validate train.csv');
  const limit = limitOf(call, 10);
  const [columns = [], ...rows] = cellsOf(name, await readText(name, call.stdin, 'CSV'));
  const answer = answered(call.engine.validate({ columns, rows }));
  return { json: answer, text: () => printValidation(call.words, answer, limit), status: 0 };
}

/**
 * @param {string} name
 * @param {string} text
 * @returns {string[][]}
 */
function cellsOf(name, text) {
  try {
    return parse(text, { bom: true, skip_empty_lines: true });
  } catch (error) {
    const what = name === '-' ? 'Standard input' : name;
    throw wrong(
      'csv_wrong',
      `${what} is not CSV: ${/** @type {Error} */ (error).message}.`,
      'The first line names the columns.',
    );
  }
}

/** @param {Call} call @returns {Promise<Outcome>} */
export async function offers(call) {
  const { engine, words, flags, positionals } = call;
  if (positionals.length)
    throw wrong('argument_unknown', `offers takes no argument "${positionals[0]}".`, 'Filters are flags, see --help.');
  const limit = limitOf(call);
  const request = /** @type {import('../rigsizer.d.ts').OffersRequest} */ (
    withFlags({}, ['currency', 'term', 'max-price'].map(fieldOf), flags)
  );
  const answer = answered(engine.offers(request));
  const catalog = engine.catalog();
  const has = (/** @type {string} */ text, /** @type {unknown} */ part) =>
    !part || text.toLowerCase().includes(String(part).toLowerCase());
  const rows = answer.offers
    .map((row) => ({ row, offer: catalog.offers[row.offer] }))
    .filter(({ row, offer }) => {
      const cheap = flags['max-price'] === undefined || row.verdict === 'fits';
      const accelerator = has([offer.label, ...offer.accelerators].join(' '), flags.accelerator);
      return cheap && accelerator && has(offer.provider, flags.provider) && has(offer.region, flags.region);
    });
  const json = rows.map(({ row, offer }) => ({
    ...offer,
    price_per_h: row.price_per_h,
    price_per_month: row.price_per_month,
    price_currency: answer.currency,
  }));
  return { json, text: () => printOffers(words, rows, answer.currency, limit), status: rows.length ? 0 : 1 };
}

/**
 * The request of a file, of flags, or of a file with flags over it.
 * @param {Call} call
 * @param {string} command
 */
async function requestOf({ flags, positionals, stdin }, command) {
  if (positionals.length > 1)
    throw wrong('argument_unknown', `${command} takes one request, not ${positionals.length}.`);
  const [name] = positionals;
  if (name === undefined && flags.model === undefined && flags.config === undefined) {
    throw wrong(
      'request_missing',
      `${command} needs a request file or at least --model and --task.`,
      `See "rigsizer ${command} --help".`,
    );
  }
  const base = name === undefined ? {} : await readRequest(name, stdin);
  const request = withFlags(base, FIELDS_OF[command], flags);
  if (flags.config !== undefined) request.model = { config_text: await readText(String(flags.config), stdin) };
  return request;
}

/**
 * @param {string[]} positionals
 * @param {string} message
 * @param {string} example
 */
function onePositional(positionals, message, example) {
  if (positionals.length !== 1) throw wrong('argument_missing', message, `Such as "rigsizer ${example}".`);
  return positionals[0];
}

/** @param {Call} call */
function limitOf({ flags }, usual = 20) {
  const limit = flags.limit === undefined ? usual : Number(flags.limit);
  if (!Number.isInteger(limit) || limit < 1)
    throw wrong('flag_wrong', `--limit should be a whole number of rows, not "${flags.limit}".`);
  return limit;
}
