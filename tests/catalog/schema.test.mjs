import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filesOf, read, schemaOfFile, validators } from './files.mjs';

const validate = validators();
const errorsOf = (kind, data) => {
  const check = validate(kind);
  return check(data) ? [] : check.errors.map(({ instancePath, message }) => `${instancePath} ${message}`);
};

for (const kind of new Set(schemaOfFile().map(([, kind]) => kind))) {
  const paths = schemaOfFile()
    .filter(([, other]) => other === kind)
    .map(([path]) => path);
  test(`the ${kind} schema holds for ${paths.length} of ${paths.length}`, () => {
    assert.deepEqual(
      paths.flatMap((path) => errorsOf(kind, read(path)).map((error) => `${path}${error}`)),
      [],
    );
  });
}

/** A change that makes a good file bad, so that a schema that takes anything is found out. */
const broken = [
  [
    'offers',
    'a price of zero',
    (data) => {
      data.offers[0].prices[0].on_demand_per_h = 0;
    },
  ],
  [
    'offers',
    'a price of ten thousand',
    (data) => {
      data.offers[0].prices[0].on_demand_per_h = 10_000;
    },
  ],
  [
    'offers',
    'a price without source',
    (data) => {
      delete data.offers[0].prices[0].source;
    },
  ],
  [
    'offers',
    'a price entry without a price',
    (data) => {
      data.offers[0].prices = [{ as_of: '2026', source: 'known', currency: 'USD' }];
    },
  ],
  [
    'offers',
    'a date in words',
    (data) => {
      data.offers[0].as_of = 'May 2026';
    },
  ],
  [
    'offers',
    'a month that is none',
    (data) => {
      data.offers[0].as_of = '2026-13';
    },
  ],
  [
    'offers',
    'a field nobody knows',
    (data) => {
      data.offers[0].gpu = 'T4';
    },
  ],
  [
    'offers',
    'an unknown currency',
    (data) => {
      data.offers[0].prices[0].currency = 'GBP';
    },
  ],
  [
    'accelerators',
    'memory below zero',
    (data) => {
      data[0].memory_gb = -1;
    },
  ],
  [
    'accelerators',
    'an unknown rate',
    (data) => {
      data[0].tflops.fp64 = 1;
    },
  ],
  [
    'accelerators',
    'no source',
    (data) => {
      data[0].source = '';
    },
  ],
  [
    'providers',
    'no source',
    (data) => {
      delete data[0].source;
    },
  ],
  [
    'providers',
    'an SLA above 100 %',
    (data) => {
      data[0].sla_pct = 101;
    },
  ],
  [
    'sources',
    'no licence',
    (data) => {
      delete data.known.license;
    },
  ],
  [
    'exchange_rates',
    'a rate of zero',
    (data) => {
      data[0].rate = 0;
    },
  ],
  [
    'model',
    'no source',
    (data) => {
      data.sources = [];
    },
  ],
  [
    'model',
    'a config without model_type',
    (data) => {
      delete data.config.model_type;
    },
  ],
  [
    'model',
    'our own figures among a config',
    (data) => {
      data.config._facts = {};
    },
  ],
  [
    'interconnects',
    'a bandwidth in words',
    (data) => {
      data[0].per_gpu_gb_per_s = 'fast';
    },
  ],
  [
    'datasets',
    'half a sample',
    (data) => {
      data[0].samples = 0.5;
    },
  ],
  [
    'vision',
    'a size without digits',
    (data) => {
      data.networks[0].input_px = 'big';
    },
  ],
  [
    'measured-sources',
    'an address that is no address',
    (data) => {
      data.documents['llm-foundry-bench'].url = 'llm-foundry';
    },
  ],
  [
    'measured-sources',
    'a project that is no repository',
    (data) => {
      data.projects.vllm = 'vllm';
    },
  ],
  [
    'calibration',
    'an error of no runs',
    (data) => {
      data.fit.held_out.all.n = 0;
    },
  ],
  [
    'catalog',
    'a compile date that is none',
    (data) => {
      data.compiled = '2026-02-30';
    },
  ],
];

for (const [kind, what, spoil] of broken) {
  test(`the ${kind} schema refuses ${what}`, () => {
    const [path] = schemaOfFile().find(([, other]) => other === kind);
    const data = read(path);
    spoil(data);
    assert.notDeepEqual(errorsOf(kind, data), []);
  });
}

test('only a published config may hold fields a schema does not name', () => {
  const open = [];
  const visit = (node, place) => {
    if (node === null || typeof node !== 'object') return;
    if (node.properties && node.additionalProperties !== false) open.push(place);
    for (const [key, item] of Object.entries(node)) visit(item, `${place}/${key}`);
  };
  for (const path of filesOf('schema')) visit(read(path), path);
  assert.deepEqual(open, ['schema/model.schema.json/properties/config']);
});
