/** What the catalog tests share: the files, and validators made from their schemas. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
export const CATALOG = join(ROOT, 'catalog');

/** @param {string} path below the catalog */
export const read = (path) => JSON.parse(readFileSync(join(CATALOG, path), 'utf8'));

/** Names of the JSON files of a folder of the catalog. @param {string} folder */
export const filesOf = (folder) =>
  readdirSync(join(CATALOG, folder))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => `${folder}/${name}`);

/** Every offer with its provider and id. */
export const allOffers = () =>
  filesOf('offers').flatMap((path) => {
    const { provider, offers } = read(path);
    return offers.map((offer) => ({ id: `${provider}/${offer.machine}/${offer.region}`, provider, ...offer }));
  });

export const allModels = () => filesOf('models').map((path) => read(path));

/** The schema each data file is held to. */
export const schemaOfFile = () => [
  ...[
    'catalog',
    'sources',
    'exchange_rates',
    'providers',
    'accelerators',
    'interconnects',
    'datasets',
    'vision',
    'calibration',
    'measured-sources',
  ].map((kind) => [`${kind}.json`, kind]),
  ...filesOf('offers').map((path) => [path, 'offers']),
  ...filesOf('models').map((path) => [path, 'model']),
];

/** @returns {(kind: string) => import('ajv').ValidateFunction} */
export function validators() {
  const ajv = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true });
  addFormats(ajv);
  for (const path of filesOf('schema')) ajv.addSchema(read(path));
  return (kind) => ajv.getSchema(`${kind}.schema.json`);
}
