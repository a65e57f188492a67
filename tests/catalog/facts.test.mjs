import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { slug } from '../../catalog/update/files.mjs';
import { allModels, allOffers, filesOf, ROOT, read } from './files.mjs';

const sources = read('sources.json');
const accelerators = read('accelerators.json');
const providers = read('providers.json');
const offers = allOffers();
const models = allModels();
const networks = read('vision.json').networks;

/** Entries that occur more than once. @param {string[]} list */
const repeated = (list) => list.filter((item, i) => list.indexOf(item) !== i);

test('the catalog holds what it is known to hold', () => {
  assert.deepEqual(
    {
      offers: offers.length,
      providers: providers.length,
      accelerators: accelerators.length,
      models: models.length,
      unpriced: offers.filter(({ prices }) => prices.length === 0).length,
    },
    { offers: 1448, providers: 41, accelerators: 85, models: 435, unpriced: 11 },
  );
});

test('ids occur once', () => {
  const ids = {
    offers: offers.map(({ id }) => id),
    providers: providers.map(({ name }) => name),
    accelerators: accelerators.map(({ id }) => id),
    models: models.map(({ id }) => id),
    networks: networks.map(({ id }) => id),
    interconnects: read('interconnects.json').map(({ system }) => system),
    datasets: read('datasets.json').map(({ name }) => name),
  };
  for (const [kind, list] of Object.entries(ids)) assert.deepEqual(repeated(list), [], kind);
});

test('files are named after what they hold', () => {
  assert.deepEqual(
    filesOf('models'),
    models.map(({ id }) => `models/${id}.json`),
  );
  for (const path of filesOf('offers')) assert.equal(path, `offers/${slug(read(path).provider)}.json`);
});

test('every cited source is explained', () => {
  const cited = [
    ...offers.flatMap(({ source, prices }) => [source, ...prices.map((price) => price.source)]),
    ...networks.map(({ source }) => source),
    ...read('exchange_rates.json').map(({ source }) => source),
    ...providers.flatMap(({ source }) =>
      source.split('; ').map((part) => part.slice(part.lastIndexOf(': ') + 1).trim()),
    ),
  ].flatMap((source) => source.split('+'));
  assert.deepEqual(
    [...new Set(cited)].filter((key) => !Object.hasOwn(sources, key)),
    [],
  );
  assert.ok(new Set(cited).size > 60);
});

test('what was not read says so', () => {
  assert.equal(sources.known.verified, false);
  assert.deepEqual(
    Object.values(sources)
      .filter(({ title }) => /from memory|general knowledge/i.test(title))
      .filter(({ verified }) => verified !== false),
    [],
  );
});

test('every offer has its provider, and every provider an offer', () => {
  const named = new Set(offers.map(({ provider }) => provider));
  assert.deepEqual([...named].sort(), providers.map(({ name }) => name).sort());
});

test("every accelerator of an offer exists and goes by the offer's label", () => {
  const byId = new Map(accelerators.map((one) => [one.id, one]));
  const wrong = offers.flatMap(({ id, label, accelerators: ids }) =>
    ids.filter((one) => !byId.get(one)?.offer_names.includes(label)).map((one) => `${id}: ${one}`),
  );
  assert.deepEqual(wrong, []);
});

test('only a label that no card goes by is left open', () => {
  const open = offers
    .filter(({ label, accelerators: ids }) => label !== null && ids.length === 0)
    .map(({ label }) => label);
  assert.deepEqual(open, ['vGPU-48GB']);
  for (const { id, label, count, accelerators: ids } of offers)
    if (label === null) assert.deepEqual([id, count, ids], [id, 0, []]);
});

test('NVLink means the SXM board where a label has several forms, a bridged pair the PCIe card', () => {
  const formsOf = (interconnect, label) => [
    ...new Set(
      offers
        .filter((offer) => offer.interconnect === interconnect && offer.label === label)
        .flatMap((offer) => offer.accelerators),
    ),
  ];
  assert.deepEqual(formsOf('NVLink', 'A100-80GB'), ['A100-80GB-SXM']);
  assert.deepEqual(formsOf('NVLink', 'V100-16GB'), ['V100-16GB']);
  assert.deepEqual(formsOf('NVLink-pair', 'A100-80GB'), ['A100-80GB-PCIe']);
  assert.equal(formsOf('none', 'A100-80GB').length, 2);
});

test('an accelerator an offer can mean has the memory the offer states, where the machine holds whole ones', () => {
  const memory = new Map(accelerators.map((one) => [one.id, one.memory_gb]));
  const apart = offers
    .filter(({ count }) => count >= 1)
    .flatMap((offer) =>
      offer.accelerators
        .filter((one) => memory.get(one) !== offer.memory_gb)
        .map((one) => `${offer.label} ${offer.memory_gb}: ${one} ${memory.get(one)}`),
    );
  assert.deepEqual([...new Set(apart)], []);
});

/** What must not hold of a price entry, and how to say it. */
const contradictions = [
  ['spot is not below on-demand', ({ spot_per_h: low, on_demand_per_h: high }) => low >= high],
  ['one year is above on-demand', ({ reserved_1y_per_h: low, on_demand_per_h: high }) => low > high],
  ['three years are above on-demand', ({ reserved_3y_per_h: low, on_demand_per_h: high }) => low > high],
  ['three years are above one year', ({ reserved_3y_per_h: low, reserved_1y_per_h: high }) => low > high],
  ['a month is above 730 hours on-demand', ({ monthly: low, on_demand_per_h: high }) => low > high * 730],
];
const contradictionsOf = (price) => contradictions.filter(([, holds]) => holds(price)).map(([what]) => what);

test('longer terms and spot cost less', () => {
  assert.deepEqual(
    offers.flatMap(({ id, prices }) => prices.flatMap(contradictionsOf).map((what) => `${id}: ${what}`)),
    [],
  );
});

test('a price list that contradicts itself is noticed', () => {
  assert.equal(
    contradictionsOf({
      on_demand_per_h: 1,
      spot_per_h: 1,
      reserved_1y_per_h: 1.1,
      reserved_3y_per_h: 1.2,
      monthly: 731,
    }).length,
    contradictions.length,
  );
  assert.deepEqual(contradictionsOf({ spot_per_h: 5 }), []);
});

test('prices are in order of date and none is newer than the catalog', () => {
  const { compiled } = read('catalog.json');
  for (const { id, prices, as_of } of offers) {
    const dates = prices.map((price) => price.as_of);
    assert.deepEqual(dates, [...dates].sort(), id);
    for (const date of [as_of, ...dates]) assert.ok(date <= compiled, `${id}: ${date}`);
  }
});

test('rates convert every currency that offers use', () => {
  const used = new Set(offers.flatMap(({ prices }) => prices.map(({ currency }) => currency)));
  const known = new Set(['USD', ...read('exchange_rates.json').map(({ to }) => to)]);
  assert.deepEqual(
    [...used].filter((currency) => !known.has(currency)),
    [],
  );
});

test('golden counts exist for every model and no other, and stay out of the catalog', () => {
  const golden = JSON.parse(readFileSync(join(ROOT, 'tests/golden/models.json'), 'utf8'));
  assert.deepEqual(Object.keys(golden).sort(), models.map(({ id }) => id).sort());
  for (const [id, counts] of Object.entries(golden)) {
    const parts = counts.parts ?? { all: counts.total };
    const rest = counts.total - Object.values(parts).reduce((sum, part) => sum + part, 0);
    // CLIP has a learned scale and SigLIP a scale and a bias between its two towers, which belong to neither.
    assert.ok(
      rest === 0 || ('text' in parts && 'vision' in parts && rest > 0 && rest <= 2),
      `${id}: ${rest} weights in no part`,
    );
  }
  for (const model of models) assert.equal('computed' in model || '_facts' in model.config, false, model.id);
});
