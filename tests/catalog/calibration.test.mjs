import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from './files.mjs';

const { constants } = read('calibration.json');

test('every constant lies within its own range and stands there once', () => {
  for (const { name, value, low, high } of constants) assert.ok(low <= value && value <= high, name);
  assert.equal(new Set(constants.map(({ name }) => name)).size, constants.length);
});

test('factors around a definition are centred on it, so that a shown formula gives the shown bytes', () => {
  for (const { name, value } of constants.filter(({ name }) => /weights_scale$/.test(name)))
    assert.equal(value, 1, name);
});

test('the usable share of unread cards is the cautious end of the cards that were read', () => {
  const readings = read('accelerators.json')
    .filter(({ usable_basis }) => usable_basis === 'torch' || usable_basis === 'nvidia-smi')
    .map(({ usable_gib, memory_gb }) => usable_gib / memory_gb)
    .sort((a, b) => a - b);
  const { value, low, high } = constants.find(({ name }) => name === 'usable_share');
  assert.ok(Math.abs(value - readings[Math.floor(readings.length / 10)]) < 0.001);
  assert.ok(Math.abs(low - readings[0]) < 0.001);
  assert.ok(Math.abs(high - readings.at(-1)) < 0.001);
});
