/**
 * Fits catalog/calibration.json to tests/measured and writes it: `node tests/calibrate/calibrate.mjs`.
 * With --check it writes nothing and fails when the committed file is not what the fit gives.
 *
 * Expects build/native with the target rigsizer_calibrate (RIGSIZER_BUILD names another build folder).
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CALIBRATION = join(ROOT, 'catalog/calibration.json');

/** What the fitting program says, from the catalog as built and the measured rows. */
function fit() {
  const build = process.env.RIGSIZER_BUILD ?? join(ROOT, 'build/native');
  const folder = mkdtempSync(join(tmpdir(), 'rigsizer-calibrate-'));
  try {
    const catalog = join(folder, 'catalog.json');
    const rows = ['train', 'infer'].map((name) => {
      const path = join(folder, `${name}.json`);
      writeFileSync(
        path,
        JSON.stringify(parse(readFileSync(join(ROOT, `tests/measured/${name}.csv`)), { columns: true })),
      );
      return path;
    });
    execFileSync('node', [join(ROOT, 'catalog/bundle.mjs'), catalog]);
    return JSON.parse(execFileSync(join(build, 'tests/rigsizer_calibrate'), [catalog, ...rows], { encoding: 'utf8' }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The file's data with the fitted figures in place. */
function calibrated(fitted) {
  const { fit: _before, ...data } = JSON.parse(readFileSync(CALIBRATION, 'utf8'));
  const { n, median_abs_pct: median, p90_abs_pct: p90 } = fitted.held_out.all;
  for (const constant of data.constants) {
    const value = fitted.constants[constant.name];
    if (value === undefined) continue;
    const { low, high } = fitted.bounds[constant.name];
    const support = `Fitted to ${n} runs of high confidence. On runs whose source was left out of the fit, the peak is ${median} % off in the middle and ${p90} % at the 90th percentile.`;
    Object.assign(constant, { value, low, high, support });
  }
  for (const one of data.certainty) {
    const reach = fitted.reach[one.kind];
    if (reach) Object.assign(one, { reach_below: reach.below, reach_above: reach.above });
  }
  const { fitted_on, held_out } = fitted;
  return { fit: { rows: 'tests/measured/train.csv', confidence: 'high', fitted_on, held_out }, ...data };
}

const fitted = fit();
const data = calibrated(fitted);
if (process.argv.includes('--check')) {
  const committed = JSON.parse(readFileSync(CALIBRATION, 'utf8'));
  if (JSON.stringify(committed) !== JSON.stringify(data)) {
    console.error('catalog/calibration.json is not what the fit gives: run node tests/calibrate/calibrate.mjs');
    process.exit(1);
  }
} else {
  writeFileSync(CALIBRATION, `${JSON.stringify(data, null, 2)}\n`);
  console.log(JSON.stringify({ held_out: fitted.held_out, fitted_on: fitted.fitted_on }, null, 2));
}
