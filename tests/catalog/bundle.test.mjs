import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { bundle, withoutNulls } from '../../catalog/bundle.mjs';
import { allModels, allOffers, CATALOG, read } from './files.mjs';

const packed = bundle();

test('the bundle holds every entry of the catalog, unknown values left out', () => {
  assert.deepEqual(
    packed.offers,
    allOffers().map(({ id, ...offer }) => withoutNulls(offer)),
  );
  assert.deepEqual(
    packed.models,
    allModels().map(({ config, ...about }) => ({ ...withoutNulls(about), config })),
  );
  for (const part of ['sources', 'exchange_rates', 'providers', 'accelerators', 'interconnects', 'datasets'])
    assert.deepEqual(packed[part], withoutNulls(read(`${part}.json`)), part);
  assert.equal(packed.date, read('catalog.json').compiled);
  assert.equal(packed.version, 1);
});

test('nothing but a config holds null', () => {
  const { models, ...rest } = packed;
  assert.equal(JSON.stringify([rest, models.map(({ config, ...about }) => about)]).includes('null'), false);
  assert.deepEqual(withoutNulls({ a: null, b: [null, { c: null, d: 0 }], e: '' }), { b: [null, { d: 0 }], e: '' });
});

test('vision networks come only when asked for', () => {
  assert.equal('vision' in packed, false);
  assert.deepEqual(bundle({ withVision: true }).vision, withoutNulls(read('vision.json')));
});

test('calibration is part of it where the catalog has one', () => {
  assert.equal('calibration' in packed, existsSync(join(CATALOG, 'calibration.json')));
});

test('the program writes the same text, small enough to ship', () => {
  const out = join(mkdtempSync(join(tmpdir(), 'rigsizer-')), 'catalog.json');
  execFileSync(process.execPath, [join(CATALOG, 'bundle.mjs'), out]);
  const text = readFileSync(out, 'utf8');
  assert.ok(text === JSON.stringify(bundle()), `${out} is another text than bundle() gives`);
  assert.ok(gzipSync(text, { level: 9 }).length <= 110_000);
});

test('it says how it is called when called wrongly', () => {
  assert.throws(
    () => execFileSync(process.execPath, [join(CATALOG, 'bundle.mjs')], { stdio: 'pipe' }),
    ({ status, stderr }) => status === 2 && /usage/.test(String(stderr)),
  );
});
