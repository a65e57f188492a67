/** The flags: one for every field of the page that goes into a request, under the same name as in the page's link. */
import { parseArgs } from 'node:util';
import { FIELDS } from '../../web/fields.js';
import { wrong } from './errors.mjs';

/**
 * @typedef {import('../../web/fields.js').Field} Field
 * @typedef {Record<string, string | boolean | string[] | undefined>} Flags
 * @typedef {{ type: 'string' | 'boolean', multiple?: boolean, short?: string }} Option
 */

/** Fields of a workload, which every request has, and those that only a plan has. */
const WORKLOAD = new Set(['model', 'task', 'serve', 'train']);
const inRequest = FIELDS.filter((field) => field.path);
const workload = inRequest.filter((field) => WORKLOAD.has(field.path?.[0] ?? ''));

/** @type {Record<string, Option>} */
const COMMON = {
  json: { type: 'boolean' },
  lang: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
};

/** Flags of each command that are no field. @type {Record<string, Record<string, Option>>} */
const OWN = {
  plan: { config: { type: 'string' }, today: { type: 'string' }, limit: { type: 'string' } },
  estimate: { config: { type: 'string' }, accelerator: { type: 'string' }, count: { type: 'string' } },
  describe: { contexts: { type: 'string', multiple: true } },
  validate: { limit: { type: 'string' } },
  offers: {
    provider: { type: 'string' },
    accelerator: { type: 'string' },
    region: { type: 'string' },
    'max-price': { type: 'string' },
    currency: { type: 'string' },
    term: { type: 'string' },
    limit: { type: 'string' },
  },
};

/** @type {Record<string, Field[]>} */
export const FIELDS_OF = { plan: inRequest, estimate: workload, describe: [], validate: [], offers: [] };

export const COMMANDS = Object.keys(OWN);

/** @param {Field} field @returns {Option} */
const optionOf = ({ kind }) => ({ type: kind === 'flag' ? 'boolean' : 'string', multiple: kind === 'list' });

/**
 * @param {string} command
 * @returns {Record<string, Option>}
 */
export function optionsOf(command) {
  const fields = Object.fromEntries(FIELDS_OF[command].map((field) => [field.key, optionOf(field)]));
  return { ...COMMON, ...fields, ...OWN[command] };
}

/**
 * @param {string} command
 * @param {string[]} args
 * @returns {{ values: Flags, positionals: string[] }}
 */
export function parse(command, args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      options: optionsOf(command),
      allowPositionals: true,
      strict: true,
    });
    return { values: /** @type {Flags} */ (values), positionals };
  } catch (error) {
    const message = /** @type {Error} */ (error).message.split('. ')[0];
    throw wrong('flag_wrong', `${message}.`, `"rigsizer ${command} --help" lists the flags.`);
  }
}

/**
 * A number as a number; anything else as it stands, for the engine to refuse with its own words.
 * @param {string} text
 */
export const numberOr = (text) => (text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text);

/** @param {string[]} items */
export const listed = (items) => items.flatMap((item) => item.split(',')).filter(Boolean);

/**
 * The flags put into the request, over what it already says.
 * @param {Record<string, any>} request
 * @param {Field[]} fields
 * @param {Flags} flags
 */
export function withFlags(request, fields, flags) {
  const result = structuredClone(request);
  const given = fields.filter(({ key }) => flags[key] !== undefined);
  for (const field of given) place(result, field, flags[field.key]);
  for (const { key, tasks } of given) {
    if (tasks && typeof result.task === 'string' && !tasks.includes(result.task)) {
      throw wrong(
        'flag_not_of_task',
        `--${key} says nothing about the task "${result.task}".`,
        `It belongs to: ${tasks.join(', ')}.`,
      );
    }
  }
  return result;
}

/**
 * @param {Record<string, any>} request
 * @param {Field} field
 * @param {string | boolean | string[] | undefined} value
 */
function place(request, { kind, path = [] }, value) {
  let node = request;
  for (const part of path.slice(0, -1)) node = node[part] ??= {};
  const numeric = kind === 'integer' || kind === 'decimal';
  node[path[path.length - 1]] = Array.isArray(value) ? listed(value) : numeric ? numberOr(String(value)) : value;
}
