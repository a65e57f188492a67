/** Finding models, and sorting, searching and grouping machines. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { groupsByReason, matching, sorted } from '../../web/machines.js';
import { findModels } from '../../web/search.js';

/** @param {string} id @param {Partial<import('../../web/context.d.ts').CatalogModel>} more */
const model = (id, name = id, more = {}) =>
  /** @type {any} */ ({ id, name, family: name.split(' ')[0], supported: true, ...more });

const MODELS = [
  model('bert-base', 'BERT base', { supported: false }),
  model('deepseek-r1-distill-qwen-14b', 'DeepSeek R1 Distill Qwen 14B'),
  model('qwen-14b', 'Qwen 14B'),
  model('qwen2.5-14b', 'Qwen2.5 14B'),
  model('qwen-image', 'Qwen Image', { supported: false }),
];

test('every word must match, and names that begin with the words come first', () => {
  assert.deepEqual(
    findModels(MODELS, 'qwen 14').map(({ id }) => id),
    ['qwen-14b', 'deepseek-r1-distill-qwen-14b', 'qwen2.5-14b'],
  );
  assert.equal(findModels(MODELS, 'Qwen-14B')[0].id, 'qwen-14b');
  assert.deepEqual(findModels(MODELS, 'zzz'), []);
});

test('unsupported models come last but are found', () => {
  assert.deepEqual(
    findModels(MODELS, 'qwen').map(({ supported }) => supported),
    [true, true, true, false],
  );
  assert.equal(findModels(MODELS, '').length, MODELS.length);
});

/**
 * @param {string} provider @param {number | null} price @param {string} verdict @param {string[]} reasons @param {number} shape
 * @returns {any}
 */
const machine = (provider, price, verdict, reasons = [], shape = 0) => ({
  row: { verdict, price_per_h: price, shape },
  offer: { provider, machine: 'm', region: 'eu', count: 1, vcpus: null },
  shape: { label: 'L40S', reasons: reasons.map((code) => ({ code, values: {} })) },
});

test('sorting is stable, goes both ways and puts the unknown last', () => {
  const list = [machine('a', 2, 'fits'), machine('b', null, 'fits'), machine('c', 1, 'fits'), machine('d', 2, 'fits')];
  const names = (/** @type {any[]} */ machines) => machines.map(({ offer }) => offer.provider).join('');
  assert.equal(names(sorted(list, 'price')), 'cadb');
  assert.equal(names(sorted(list, '-price')), 'adcb');
  assert.equal(names(sorted(list, 'rank')), 'abcd');
  assert.equal(names(sorted(list, 'nonsense')), 'abcd');
});

test('the search looks at provider, machine, region and accelerator', () => {
  const list = [machine('Azure', 1, 'fits'), machine('AWS', 1, 'fits')];
  assert.equal(matching(list, 'l40s aws eu').length, 1);
  assert.equal(matching(list, '  ').length, 2);
});

test('machines that do not fit are grouped by their first reason, the largest group first', () => {
  const groups = groupsByReason([
    machine('a', 1, 'fits'),
    machine('b', 1, 'short', ['memory_short'], 1),
    machine('c', 1, 'unsuitable', ['no_bf16', 'memory_short'], 2),
    machine('d', 1, 'unsuitable', ['no_bf16'], 2),
    machine('e', null, 'no_price', ['no_bf16'], 2),
    machine('f', 1, 'unknown', [], 3),
  ]);
  assert.deepEqual(
    groups.map(({ code, machines, shapes }) => [code, machines.length, shapes.length]),
    [
      ['no_bf16', 2, 1],
      ['memory_short', 1, 1],
      ['no_price', 1, 1],
      ['unknown', 1, 1],
    ],
  );
});
