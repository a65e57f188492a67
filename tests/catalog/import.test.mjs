import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { importFacts } from '../../catalog/update/from_facts.mjs';
import { reportText } from '../../catalog/update/report.mjs';
import { validators } from './files.mjs';

const OFFERS =
  'provider,instance_type,region,gpu,gpu_count,gpu_memory_gib,gpu_interconnect,vcpus,ram_gib,local_nvme_gb,network_gbps,price_on_demand,price_spot,price_reserved_1y,price_reserved_3y,price_monthly,currency,as_of,source';
const row = {
  provider: 'Cloud A',
  instance_type: 'm1',
  region: 'eu',
  gpu: 'X1',
  gpu_count: 1,
  gpu_memory_gib: 16,
  gpu_interconnect: 'none',
  vcpus: 4,
  ram_gib: '',
  local_nvme_gb: '',
  network_gbps: '',
  price_on_demand: 2,
  price_spot: '',
  price_reserved_1y: '',
  price_reserved_3y: '',
  price_monthly: '',
  currency: 'USD',
  as_of: '2026-05-01',
  source: 'list',
};
const GPUS =
  'name,vendor,architecture,compute_capability,year,memory_gb_marketed,memory_gib_usable,memory_type,bandwidth_gb_s,fp32_tflops,form,offer_names,source,confidence,notes';
const SOURCES =
  '# Sources\n\n| key | what | date | licence | note |\n| --- | --- | --- | --- | --- |\n| list | a list | 2026-05-01 | MIT | |\n| spot, other | two lists | 2025/2026-02 | **CC BY-SA 4.0** | |\n\nEnd\n';

let facts;
let catalog;
const file = (name, text) => writeFileSync(join(facts, name), text);
const offers = (...rows) =>
  file(
    'offers.csv',
    [OFFERS, ...rows.map((one) => (typeof one === 'string' ? one : Object.values({ ...row, ...one }).join(',')))].join(
      '\n',
    ),
  );
const run = () => importFacts({ facts, catalog, golden: join(catalog, 'golden.json') });
const read = (name) => JSON.parse(readFileSync(join(catalog, name), 'utf8'));
const offersOfA = () => read('offers/cloud-a.json').offers;
const everything = () =>
  readdirSync(catalog, { recursive: true })
    .filter((name) => statSync(join(catalog, name)).isFile())
    .sort()
    .map((name) => [name, readFileSync(join(catalog, name), 'utf8')]);

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), 'rigsizer-import-'));
  facts = join(root, 'facts');
  catalog = join(root, 'catalog');
  mkdirSync(join(facts, 'models'), { recursive: true });
  file('offers-sources.md', SOURCES);
  file(
    'gpus.csv',
    `${GPUS}\nX1-SXM,Acme,One,1.0,2024,16,15.5,HBM,900,10,SXM,X1,Acme sheet,spec,Fast card.\nX1-PCIe,Acme,One,1.0,2024,16,15.5,HBM,800,9,PCIe,X1,Acme sheet,spec,\nX1-big,Acme,One,1.0,2024,32,31,HBM,900,10,SXM,X1,Acme sheet,spec,\n`,
  );
  file(
    'models/tiny.json',
    JSON.stringify({
      model_type: 'llama',
      hidden_size: 8,
      rope_scaling: null,
      _facts: {
        name: 'Tiny',
        family: 'Tiny',
        released: '2026-01',
        license: 'MIT',
        modality: 'text',
        params_total_reported: null,
        notes: 'Small one.',
        evidence: { fields: ['recalled, not found in a public repository'], count: ['a: b', 'a: b'] },
        computed: { total: 3, active: 3, embedding: 1, parts: { all: 3 } },
      },
    }),
  );
  offers({});
});

test('the same facts twice change nothing', () => {
  assert.deepEqual(run().refused, []);
  const before = everything();
  assert.ok(before.length >= 5);
  const report = run();
  assert.deepEqual([report.added, report.changed, report.refused], [[], [], []]);
  assert.deepEqual(everything(), before);
});

test('what it writes keeps to the schemas', () => {
  run();
  const validate = validators();
  for (const [name, kind] of [
    ['sources.json', 'sources'],
    ['accelerators.json', 'accelerators'],
    ['offers/cloud-a.json', 'offers'],
    ['models/tiny.json', 'model'],
  ])
    assert.ok(validate(kind)(read(name)), `${name}: ${JSON.stringify(validate(kind).errors)}`);
});

test('a new price is added behind the old one, which stays', () => {
  run();
  offers({ as_of: '2026-06-01', price_on_demand: 3, source: 'spot' });
  const { changed } = run();
  assert.deepEqual(changed, ['offer Cloud A/m1/eu: price of 2026-06-01']);
  assert.deepEqual(offersOfA()[0].prices, [
    { as_of: '2026-05-01', source: 'list', currency: 'USD', on_demand_per_h: 2 },
    { as_of: '2026-06-01', source: 'spot', currency: 'USD', on_demand_per_h: 3 },
  ]);
});

test('an older price takes its place in time and leaves the machine as it is', () => {
  run();
  offers({ as_of: '2025-01', vcpus: 2 });
  run();
  assert.deepEqual(
    offersOfA()[0].prices.map(({ as_of }) => as_of),
    ['2025-01', '2026-05-01'],
  );
  assert.deepEqual([offersOfA()[0].vcpus, offersOfA()[0].as_of], [4, '2026-05-01']);
});

test('another figure for the same day and source is refused, and the old one stays', () => {
  run();
  offers({ price_on_demand: 9 });
  const { refused } = run();
  assert.equal(refused.length, 1);
  assert.match(refused[0], /Cloud A\/m1\/eu.*2026-05-01 from list.*own date/);
  assert.equal(offersOfA()[0].prices[0].on_demand_per_h, 2);
});

test('an offer that the facts no longer name stays', () => {
  run();
  offers({ instance_type: 'm2' });
  run();
  assert.deepEqual(
    offersOfA().map(({ machine }) => machine),
    ['m1', 'm2'],
  );
});

test('empty stays empty', () => {
  offers({ price_on_demand: '', gpu_memory_gib: '' });
  run();
  const [offer] = offersOfA();
  assert.deepEqual(offer.prices, []);
  assert.deepEqual([offer.memory_gb, offer.ram_gib, offer.local_nvme_gb, offer.network_gbps], [null, null, null, null]);
  const card = read('accelerators.json').find(({ id }) => id === 'X1-SXM');
  assert.deepEqual([card.tflops, card.tdp_w, card.pcie, card.mig], [{ fp32: 10 }, null, null, null]);
});

const bad = [
  ['a negative price', { price_on_demand: -1 }, /offers\.csv, row 2, column price_on_demand: -1 is out of range -> /],
  ['a price of zero', { price_spot: 0 }, /column price_spot: 0 is out of range/],
  ['a price that is no number', { price_on_demand: 'NaN' }, /column price_on_demand: "NaN" is not a number -> /],
  ['an endless price', { price_on_demand: 'Infinity' }, /"Infinity" is not a number/],
  ['a price in hexadecimal', { price_on_demand: '0x10' }, /"0x10" is not a number/],
  ['a price nobody would ask', { price_on_demand: 20_000 }, /20000 is out of range/],
  ['a price without currency', { currency: '' }, /column currency: is empty beside a price/],
  ['an unknown currency', { currency: 'GBP' }, /column currency: "GBP" is not one of USD, CNY, EUR/],
  ['a date in words', { as_of: 'May' }, /column as_of: "May" is not a date/],
  ['an unknown source', { source: 'list+rumour' }, /column source: "rumour" is not a known source/],
  ['a machine without name', { instance_type: '' }, /column instance_type: is empty/],
  ['a card in a machine with none', { gpu_count: 0 }, /column gpu_count: does not agree/],
  ['a row with a comma too many', 'Cloud A,m1,eu,X1,1', /offers\.csv, row 2: 5 cells where the header has 19/],
];

for (const [what, cells, message] of bad) {
  test(`${what} is refused with its place and a remedy, the other rows are taken`, () => {
    offers(cells, { instance_type: 'good' });
    const { refused } = run();
    assert.equal(refused.length, 1);
    assert.match(refused[0], message);
    assert.match(refused[0], /->/);
    assert.deepEqual(
      offersOfA().map(({ machine }) => machine),
      ['good'],
    );
  });
}

test('a broken file or header is refused as a whole and harms nothing', () => {
  run();
  const before = read('offers/cloud-a.json');
  file('offers.csv', `${OFFERS}\nCloud A,"m1,eu`);
  assert.match(run().refused[0], /offers\.csv: .*whole file/);
  file('offers.csv', 'provider,region\nCloud A,eu');
  assert.match(run().refused[0], /offers\.csv, row 1: no column instance_type/);
  assert.deepEqual(read('offers/cloud-a.json'), before);
});

test('the link and the memory tell forms of a card apart', () => {
  offers(
    { gpu_interconnect: 'NVLink', instance_type: 'a' },
    { gpu_interconnect: 'NVLink-pair', instance_type: 'b' },
    { gpu_interconnect: 'PCIe', instance_type: 'c' },
    { instance_type: 'd', gpu_memory_gib: 32 },
    { instance_type: 'e', gpu_count: 0.5, gpu_memory_gib: 8 },
    { instance_type: 'f', gpu: 'Y9' },
  );
  run();
  assert.deepEqual(Object.fromEntries(offersOfA().map(({ machine, accelerators }) => [machine, accelerators])), {
    a: ['X1-SXM', 'X1-big'],
    b: ['X1-PCIe'],
    c: ['X1-PCIe', 'X1-SXM'],
    d: ['X1-big'],
    e: ['X1-PCIe', 'X1-SXM', 'X1-big'],
    f: [],
  });
});

test('words are asked for, never copied, and kept once written', () => {
  assert.ok(run().unworded.includes('accelerator X1-SXM notes: Fast card.'));
  const cards = read('accelerators.json');
  const card = cards.find(({ id }) => id === 'X1-SXM');
  assert.equal(card.notes, null);
  card.notes = 'A quick one.';
  writeFileSync(join(catalog, 'accelerators.json'), JSON.stringify(cards));
  assert.ok(!run().unworded.some((line) => line.startsWith('accelerator X1-SXM')));
  assert.equal(read('accelerators.json').find(({ id }) => id === 'X1-SXM').notes, 'A quick one.');
});

test('a config is carried verbatim, golden counts apart from it', () => {
  run();
  const { config, sources, notes } = read('models/tiny.json');
  assert.deepEqual(config, { model_type: 'llama', hidden_size: 8, rope_scaling: null });
  assert.deepEqual([sources, notes], [['recalled', 'a: b'], null]);
  assert.deepEqual(read('golden.json'), { tiny: { total: 3, active: 3, embedding: 1, parts: { all: 3 } } });
});

test('golden counts of models the facts do not name stay', () => {
  run();
  const known = { aaa: { total: 1 }, ...read('golden.json') };
  writeFileSync(join(catalog, 'golden.json'), JSON.stringify(known));
  run();
  assert.deepEqual(Object.keys(read('golden.json')), ['aaa', 'tiny']);
});

test('an entry that stands there twice is refused the second time', () => {
  file('gpus.csv', `${GPUS}\nX1,Acme,One,,,16,,,,1,,,Acme sheet,spec,\nX1,Acme,One,,,24,,,,2,,,Acme sheet,spec,\n`);
  assert.match(run().refused[0], /accelerator X1: stands there twice/);
  assert.deepEqual(
    read('accelerators.json').map(({ id, memory_gb }) => [id, memory_gb]),
    [['X1', 16]],
  );
});

test('the program says what it did, and fails when rows were refused or no facts are there', () => {
  const program = fileURLToPath(new URL('../../catalog/update/from_facts.mjs', import.meta.url));
  const call = (folder) =>
    spawnSync(process.execPath, [program, '--facts', folder, '--catalog', catalog], { encoding: 'utf8' });
  const good = call(facts);
  assert.deepEqual(
    [good.status, good.stdout.trim().split('\n').at(-1)],
    [0, '8 added, 0 changed, 5 needs our own words, 0 refused'],
  );
  offers({ price_on_demand: -1 });
  assert.equal(call(facts).status, 1);
  assert.equal(call(join(facts, 'nowhere')).status, 2);
});

test('a model file that is no JSON is refused, the others are taken', () => {
  file('models/zzz.json', '{');
  const { refused } = run();
  assert.match(refused[0], /models\/zzz\.json.*mend the JSON/);
  assert.equal(read('models/tiny.json').id, 'tiny');
});

test('sources come with date and licence, and only move forward', () => {
  run();
  assert.deepEqual(read('sources.json').other, {
    title: 'other',
    url: null,
    date: '2026-02',
    license: 'CC BY-SA 4.0',
    note: null,
  });
  file('offers-sources.md', SOURCES.replace('| 2026-05-01 |', '| 2026-09-09 |').replace('2025/2026-02', '2024'));
  assert.deepEqual(run().changed, ['source list: 2026-05-01 -> 2026-09-09']);
  assert.equal(read('sources.json').other.date, '2026-02');
});

test('a folder with prices alone refreshes prices alone', () => {
  run();
  const cards = read('accelerators.json');
  const root = mkdtempSync(join(tmpdir(), 'rigsizer-prices-'));
  facts = root;
  offers({ as_of: '2026-07-01', price_on_demand: 1 });
  assert.deepEqual(run().refused, []);
  assert.equal(offersOfA()[0].prices.length, 2);
  assert.deepEqual(read('accelerators.json'), cards);
});

test('the report counts what it lists', () => {
  assert.equal(
    reportText({ added: ['a'], changed: [], refused: ['b', 'c'], unworded: [] }),
    'added: a\nrefused: b\nrefused: c\n1 added, 0 changed, 0 needs our own words, 2 refused',
  );
});
