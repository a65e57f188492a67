/** The data of "How accurate is this?": what the engine says and nothing else, and where each run was published. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { parse } from 'csv-parse/sync';
import { loadEngine } from '../../wasm/node.mjs';
import { accuracy, short, sourceOf, validated } from '../../web/accuracy.mjs';
import { figuresOf, worst } from '../../web/measured.js';

const read = (/** @type {string} */ path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const KNOWN = JSON.parse(read('catalog/measured-sources.json'));
/** @type {string[]} */
const KEYS = ['train', 'infer'].flatMap((name) =>
  parse(read(`tests/measured/${name}.csv`), { columns: true }).map((/** @type {any} */ row) => row.source_key),
);

/** @type {import('../../wasm/rigsizer.d.ts').RigsizerEngine} */
let engine;
/** @type {import('../../web/accuracy.d.ts').Accuracy} */
let data;
before(async () => {
  engine = await loadEngine();
  data = await accuracy(engine);
});

test('every run says where it was published, or that no address is on record, and no entry is left over', () => {
  for (const key of new Set(KEYS)) {
    const { title, url } = sourceOf(KNOWN, key);
    assert.ok(title && (url === null || url.startsWith('https://')), key);
  }
  const used = new Set(KEYS.map((key) => key.split('#')[0]));
  assert.deepEqual(
    [...Object.keys(KNOWN.projects), ...Object.keys(KNOWN.documents)].filter((key) => !used.has(key)),
    [],
  );
  assert.throws(() => sourceOf(KNOWN, 'nobody#1'), /lacks the project nobody/);
  assert.throws(() => sourceOf(KNOWN, 'nothing'), /lacks the document nothing/);
  assert.equal(sourceOf(KNOWN, 'vllm#13061').url, 'https://github.com/vllm-project/vllm/issues/13061');
});

test('every predicted figure is there as the engine says it', async () => {
  const figures = figuresOf(data);
  for (const { name } of data.files) {
    const { answer } = await validated(engine, name);
    const predicted = answer.rows.filter((row) => row.predicted !== null);
    const shown = figures.filter(({ file }) => file === name);
    assert.equal(
      shown.reduce((sum, { rows }) => sum + rows.length, 0),
      predicted.length,
    );
    for (const want of predicted) {
      const row = shown.find(({ metric }) => metric === want.metric)?.rows.find(({ id }) => id === want.id);
      assert.ok(row, `${want.id} ${want.metric}`);
      const { title } = sourceOf(KNOWN, want.source);
      assert.deepEqual(
        [row.measured, row.predicted, row.low, row.high, row.kind, row.sure, row.source.title],
        [
          want.measured,
          short(want.predicted, 4),
          short(want.low, 3),
          short(want.high, 3),
          want.kind,
          want.confidence === 'high',
          title,
        ],
        want.id,
      );
      const off = Math.abs(row.error_pct - (want.error_pct ?? 0));
      assert.ok(off <= 0.06 * Math.max(1, Math.abs(want.error_pct ?? 0) / 100), `${want.id} ${off}`);
    }
  }
});

test('the summaries are the engine’s, and every figure is predicted, skipped or counted as not predicted yet', async () => {
  let skipped = 0;
  for (const file of data.files) {
    const { answer, runs } = await validated(engine, file.name);
    assert.equal(file.runs, runs);
    for (const [which, want] of /** @type {const} */ ([
      ['all', answer.summary],
      ['high', answer.by_confidence.high],
    ])) {
      for (const [metric, summary] of Object.entries(file.summary[which])) {
        for (const [name, value] of Object.entries(summary)) {
          const exact = /** @type {any} */ (want[metric])[name];
          assert.ok(value === exact || Math.abs(value - exact) <= 0.005, `${file.name} ${which} ${metric} ${name}`);
        }
      }
    }
    const shown = [...Object.keys(file.summary.all), ...file.unpredicted.map(({ metric }) => metric)].sort();
    assert.deepEqual(shown, Object.keys(answer.summary).sort());
    skipped += Object.values(file.summary.all).reduce((sum, one) => sum + one.skipped, 0);
  }
  assert.equal(
    data.skipped.reduce((sum, { figures }) => sum + figures, 0),
    skipped,
  );
});

test('what is not predicted yet is speed, as the page says', () => {
  const speeds = /_per_s$|^step_s$|^mfu$/;
  const names = data.files.flatMap(({ unpredicted }) => unpredicted.map(({ metric }) => metric));
  assert.deepEqual(
    names.filter((name) => !speeds.test(name)),
    [],
  );
});

test('the worst rows are the furthest off, whichever way', () => {
  const row = (/** @type {number} */ error_pct) => /** @type {any} */ ({ error_pct });
  const errors = worst([1, -300, 20, -5].map(row), 2).map((one) => one.error_pct);
  assert.deepEqual(errors, [-300, 20]);
});
