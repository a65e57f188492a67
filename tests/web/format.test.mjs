/** Numbers as people read them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatsFor } from '../../web/format.js';

const en = formatsFor('en');
const zh = formatsFor('zh-CN');
const GIB = 2 ** 30;

test('bytes are told in GiB, small ones with a second digit, tiny ones in MiB', () => {
  assert.equal(en.gib(17.4 * GIB), '17.4 GiB');
  assert.equal(en.gib(0.156 * GIB), '0.16 GiB');
  assert.equal(en.gib(131072), '0.125 MiB');
  assert.equal(en.gib(0), '0.0 GiB');
  assert.equal(en.gib(1400 * GIB), '1,400.0 GiB');
});

test('both ends of a band have the same number of digits', () => {
  assert.equal(en.band({ low: 0.83 * GIB, high: 1.11 * GIB }), '0.83–1.11');
  assert.equal(en.band({ low: 16.9 * GIB, high: 18.6 * GIB }), '16.9–18.6');
});

test('money follows the locale; cheap hours get a third digit, dear months none', () => {
  assert.equal(en.hourly(0.35, 'USD'), '$0.35');
  assert.equal(en.hourly(0.041, 'USD'), '$0.041');
  assert.equal(en.monthly(255.5, 'USD'), '$256');
  assert.equal(zh.hourly(2.5, 'CNY'), '¥2.50');
  assert.equal(zh.monthly(71.4, 'USD'), 'US$71.40');
});

test('parameters are compact in the habit of the language', () => {
  assert.equal(en.count(8030261248), '8.03B');
  assert.equal(zh.count(8030261248), '80.3亿');
});

test('dates are as exact as they are known', () => {
  assert.equal(en.date('2026-05-24'), 'May 24, 2026');
  assert.equal(en.date('2026-05'), 'May 2026');
  assert.equal(en.date('2025'), '2025');
  assert.equal(zh.date('2026-05-24'), '2026/5/24');
  assert.equal(en.date('unknown'), 'unknown');
});

test('formatters of one locale are made once', () => {
  assert.equal(formatsFor('en'), en);
});
