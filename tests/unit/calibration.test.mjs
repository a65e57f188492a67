/** The committed calibration is what the fitting program gives from the measured rows. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../calibrate/calibrate.mjs', import.meta.url));

test('catalog/calibration.json is what tests/calibrate gives', () => {
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, '--check'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
});
