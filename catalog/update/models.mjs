/** Models: an architecture exactly as its config.json states it, and golden counts for the engine's tests. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal, reporting } from './report.mjs';

/** What a config.json cannot say and a weight count needs. */
const BEYOND_CONFIG = {
  has_pooler: 'has_pooler',
  has_mlm_head: 'has_mlm_head',
  params_outside_fields: 'parameters_outside_config',
};

/** A citation that was remembered rather than read says so, in one word. @param {string} citation */
const citation = (citation) => (citation.startsWith('recalled') ? 'recalled' : citation);

/**
 * @param {string} id
 * @param {Record<string, any>} file
 */
function readModel(id, file) {
  const { _facts: facts, ...config } = file;
  if (!facts) throw new Refusal('_facts', 'is missing', 'add name, family, sources and golden counts');
  if (typeof config.model_type !== 'string')
    throw new Refusal('model_type', 'is missing', 'a config without it cannot be read');
  const sources = [...facts.evidence.fields, ...facts.evidence.count].map(citation);
  if (sources.length === 0) throw new Refusal('evidence', 'names no source', 'say where the fields were read');
  const beyond = Object.entries(BEYOND_CONFIG)
    .filter(([from]) => from in facts)
    .map(([from, to]) => [to, facts[from]]);
  const explained = [facts.notes, facts.explain, facts.explain_active].filter(Boolean);
  return {
    id,
    name: facts.name,
    family: facts.family,
    released: facts.released,
    license: facts.license,
    modality: facts.modality,
    reported: {
      parameters: facts.params_total_reported ?? null,
      parameters_text: facts.params_total_reported_text ?? null,
      active_parameters: facts.params_active_reported ?? null,
      active_parameters_text: facts.params_active_reported_text ?? null,
    },
    notes: explained.length > 0 ? explained.join('; ') : null,
    sources: [...new Set(sources)],
    ...(beyond.length > 0 ? { beyond_config: Object.fromEntries(beyond) } : {}),
    config,
  };
}

/** @typedef {ReturnType<typeof readModel>} Model */

const GOLDEN = [
  'total',
  'active',
  'embedding',
  'parts',
  'extra',
  'kv_bytes_per_token_16bit',
  'kv_windowed_16bit',
  'state_bytes_per_sequence',
];

/** @param {Record<string, any>} computed */
const golden = (computed) =>
  Object.fromEntries(GOLDEN.filter((key) => key in computed).map((key) => [key, computed[key]]));

/**
 * @param {string} folder
 * @param {import('./report.mjs').Report} report
 * @returns {{ models: Model[], golden: Record<string, any> } | null}
 */
export function readModels(folder, report) {
  if (!existsSync(folder)) return null;
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort();
  const read = files.flatMap(
    (name) =>
      reporting(report, `models/${name}`, () => {
        const id = name.slice(0, -'.json'.length);
        const file = parseJson(readFileSync(join(folder, name), 'utf8'));
        return [{ model: readModel(id, file), counts: golden(file._facts.computed) }];
      }) ?? [],
  );
  return {
    models: read.map(({ model }) => model),
    golden: Object.fromEntries(read.map(({ model, counts }) => [model.id, counts])),
  };
}

/** @param {string} text */
function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Refusal('-', /** @type {Error} */ (error).message, 'mend the JSON');
  }
}
