import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './files.mjs';

const PARTS = ['catalog', 'tests/catalog', 'tests/golden', 'tests/measured'];

/** Paths of a build machine; put together here so that this file does not hold them. */
const TRACES = [
  ['/wo', 'rk/'],
  ['../sha', 'red'],
  ['/ho', 'me/'],
  ['/ro', 'ot/'],
  ['/tm', 'p/'],
  ['registry.', 'npmjs'],
].map((halves) => halves.join(''));

/** @param {string} text */
const tracesIn = (text) => TRACES.filter((trace) => text.includes(trace));

test('no file names a path of the machine it was made on', () => {
  const files = PARTS.flatMap((part) =>
    readdirSync(join(ROOT, part), { recursive: true }).map((name) => join(ROOT, part, String(name))),
  ).filter((path) => statSync(path).isFile());
  assert.ok(files.length > 500);
  assert.deepEqual(
    files.flatMap((path) => tracesIn(readFileSync(path, 'utf8')).map((trace) => `${relative(ROOT, path)}: ${trace}`)),
    [],
  );
});

test('such a path would be found', () => {
  for (const trace of TRACES) assert.deepEqual(tracesIn(`see ${trace}x`), [trace]);
});
