#!/usr/bin/env node
/**
 * Brings a folder of facts into the catalog: `node catalog/update/from_facts.mjs --facts DIR`.
 * Prices are appended, words are kept, bad rows are refused with a reason. The same facts twice change nothing.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readAccelerators } from './accelerators.mjs';
import { pretty, prettyTable, readFolder, readJson, slug, writeIfChanged } from './files.mjs';
import { mergeList, sortedByKey } from './merge.mjs';
import { readModels } from './models.mjs';
import { mergeOffers, readOffers } from './offers.mjs';
import { PROVIDER_WORDS, readProviders } from './providers.mjs';
import { emptyReport, reportText } from './report.mjs';
import { mergeSources, readSourceTable } from './sources.mjs';
import { readDatasets, readInterconnects, readVisionNetworks } from './tables.mjs';

/**
 * @param {{ facts: string, catalog: string, golden?: string }} folders
 * @returns {import('./report.mjs').Report}
 */
export function importFacts({ facts, catalog, golden }) {
  const report = emptyReport();
  const inCatalog = (/** @type {string} */ name) => join(catalog, name);
  const write = (/** @type {string} */ name, /** @type {unknown} */ value) =>
    writeIfChanged(inCatalog(name), pretty(value));

  const sources = mergeSources(
    readJson(inCatalog('sources.json'), {}),
    readSourceTable(join(facts, 'offers-sources.md')),
    report,
  );
  write('sources.json', sources);

  /**
   * Merges a table that was read into its file.
   * @template {Record<string, any>} T
   * @param {{ name: string, kind: string, key: keyof T & string, words: string[], fresh: T[] | null }} table
   * @returns {T[]}
   */
  const list = ({ name, kind, key, words, fresh }) => {
    const merged = mergeList({
      kind,
      key,
      words,
      old: readJson(inCatalog(name), /** @type {T[]} */ ([])),
      fresh,
      report,
    });
    if (fresh) write(name, merged);
    return merged;
  };
  const accelerators = list({
    name: 'accelerators.json',
    kind: 'accelerator',
    key: 'id',
    words: ['notes', 'inference_only'],
    fresh: readAccelerators(join(facts, 'gpus.csv'), report),
  });
  list({
    name: 'providers.json',
    kind: 'provider',
    key: 'name',
    words: PROVIDER_WORDS,
    fresh: readProviders(join(facts, 'providers.csv'), sources, report),
  });
  list({
    name: 'interconnects.json',
    kind: 'interconnect',
    key: 'system',
    words: ['notes'],
    fresh: readInterconnects(join(facts, 'interconnects.csv'), report),
  });
  list({
    name: 'datasets.json',
    kind: 'dataset',
    key: 'name',
    words: ['notes'],
    fresh: readDatasets(join(facts, 'datasets.csv'), report),
  });

  const networks = readVisionNetworks(join(facts, 'vision.csv'), report);
  if (networks) {
    const old = readJson(inCatalog('vision.json'), { networks: /** @type {typeof networks} */ ([]) }).networks;
    writeIfChanged(
      inCatalog('vision.json'),
      prettyTable({ networks: mergeList({ kind: 'network', key: 'id', words: [], old, fresh: networks, report }) }),
    );
  }

  const read = readModels(join(facts, 'models'), report);
  if (read) {
    const old = [...readFolder(inCatalog('models')).values()];
    const models = mergeList({ kind: 'model', key: 'id', words: ['notes'], old, fresh: read.models, report });
    for (const model of models) write(`models/${model.id}.json`, model);
    if (golden) writeIfChanged(golden, pretty(sortedByKey({ ...readJson(golden, {}), ...read.golden })));
  }

  const rows = readOffers(join(facts, 'offers.csv'), { accelerators, sources }, report);
  /** @type {[string, import('./offers.mjs').Offer[]][]} */
  const byProvider = [...readFolder(inCatalog('offers')).values()].map(({ provider, offers }) => [provider, offers]);
  for (const [provider, offers] of mergeOffers(new Map(byProvider), rows, report))
    write(`offers/${slug(provider)}.json`, { provider, offers });
  return report;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: { facts: { type: 'string' }, catalog: { type: 'string' }, golden: { type: 'string' } },
  });
  if (!values.facts || !existsSync(values.facts)) {
    console.error('usage: from_facts.mjs --facts DIR [--catalog DIR] [--golden OUT.json]; DIR must exist');
    process.exit(2);
  }
  const catalog = values.catalog ?? dirname(dirname(fileURLToPath(import.meta.url)));
  const report = importFacts({ facts: values.facts, catalog, golden: values.golden });
  console.log(reportText(report));
  process.exitCode = report.refused.length > 0 ? 1 : 0;
}
