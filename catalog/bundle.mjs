#!/usr/bin/env node
/**
 * Packs the catalog into the one JSON text the engine is built over:
 * `node catalog/bundle.mjs OUT.json [--with-vision]`. Unknown values (null) and the errors of the calibration's own fit are
 * left out; nothing else changes.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const HERE = dirname(fileURLToPath(import.meta.url));

/** Object keys whose value is null disappear, at any depth; lists keep their length. @param {unknown} value @returns {any} */
export function withoutNulls(value) {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [key, withoutNulls(item)]),
  );
}

/** What the engine computes with; how well it was fitted is for people. @param {Record<string, any>} all */
const calibration = ({ fit: _, ...constants }) => constants;

/**
 * @param {{ catalog?: string, withVision?: boolean }} [options]
 * @returns {Record<string, any>}
 */
export function bundle({ catalog = HERE, withVision = false } = {}) {
  const read = (/** @type {string} */ name) => JSON.parse(readFileSync(join(catalog, name), 'utf8'));
  const folder = (/** @type {string} */ name) =>
    readdirSync(join(catalog, name))
      .filter((file) => file.endsWith('.json'))
      .sort()
      .map((file) => read(`${name}/${file}`));
  const { version, compiled } = read('catalog.json');
  const packed = withoutNulls({
    version,
    date: compiled,
    sources: read('sources.json'),
    exchange_rates: read('exchange_rates.json'),
    providers: read('providers.json'),
    accelerators: read('accelerators.json'),
    // A config is verbatim: a null in it is something its publisher wrote.
    models: [],
    offers: folder('offers').flatMap(({ provider, offers }) =>
      offers.map((/** @type {object} */ offer) => ({ provider, ...offer })),
    ),
    interconnects: read('interconnects.json'),
    datasets: read('datasets.json'),
    ...(existsSync(join(catalog, 'calibration.json')) ? { calibration: calibration(read('calibration.json')) } : {}),
    ...(withVision ? { vision: read('vision.json') } : {}),
  });
  packed.models = folder('models').map(({ config, ...about }) => ({ ...withoutNulls(about), config }));
  return packed;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    options: { 'with-vision': { type: 'boolean' } },
    allowPositionals: true,
  });
  if (positionals.length !== 1) {
    console.error('usage: bundle.mjs OUT.json [--with-vision]');
    process.exit(2);
  }
  writeFileSync(positionals[0], JSON.stringify(bundle({ withVision: values['with-vision'] })));
}
