// npm test: every suite, one after the other, and a plain count at the end.
//
// `npm test -- native browser` runs only the suites named.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { build, buildNative } from './build.mjs';
import { capture, ROOT } from './shell.mjs';

const nodeTests = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true })
    .filter((name) => String(name).endsWith('.test.mjs'))
    .map((name) => join(folder, String(name)));
const node = (env, ...folders) =>
  capture('node', ['--test', '--test-reporter=spec', '--test-concurrency=1', ...folders.flatMap(nodeTests)], { env });

/** Natively everything runs under the address and undefined-behaviour sanitizers; wasm is the build that ships. */
const sanitized = () => buildNative('sanitize');

/** name -> what it needs built beside the page, and how it runs. */
const SUITES = {
  lint: { run: () => capture('npm', ['run', '--silent', 'lint']) },
  catalog: { run: () => node({}, 'tests/catalog') },
  native: {
    before: sanitized,
    run: () => capture('build/sanitize/tests/rigsizer_tests', ['--gtest_brief=1', '--gtest_color=no']),
  },
  fuzz: {
    before: sanitized,
    run: () =>
      capture('ctest', ['--test-dir', 'build/sanitize', '-R', 'fuzz', '--output-on-failure', '--no-tests=error']),
  },
  wasm: {
    run: () =>
      capture('node', [
        'tests/run_wasm.mjs',
        'build/wasm/tests/rigsizer_tests.cjs',
        '--gtest_brief=1',
        '--gtest_color=no',
      ]),
  },
  determinism: {
    before: sanitized,
    run: () => node({ RIGSIZER_BUILD: join(ROOT, 'build/sanitize'), RIGSIZER_REQUIRE_WASM: '1' }, 'tests/unit'),
  },
  web: { run: () => node({}, 'tests/web', 'tests/cli') },
  browser: { run: () => node({}, 'tests/browser') },
};

/** [passed, failed] as the runner printed them; a suite without counts is one test. */
function counts({ ok, output }) {
  const number = (pattern) => Number(output.match(pattern)?.[1] ?? 0);
  const passed =
    number(/^\[ {2}PASSED {2}\] (\d+) test/m) ||
    number(/^ℹ pass (\d+)/m) ||
    number(/tests passed, \d+ tests failed out of (\d+)/);
  const failed = number(/^ *(\d+) FAILED TEST/m) || number(/^ℹ fail (\d+)/m) || number(/(\d+) tests failed out of/);
  if (passed + failed === 0) return ok ? [1, 0] : [0, 1];
  return [passed, ok ? failed : Math.max(failed, 1)];
}

/** What a passing suite measured: the notes of its tests and the error of predictions, without the runner's own counts. */
function measured(output) {
  const note = /^\s*ℹ (?!tests|suites|pass|fail|cancelled|skipped|todo|duration)|^\w.* rows, median /;
  return output
    .split('\n')
    .filter((line) => note.test(line))
    .map((line) => `     ${line.trim()}\n`)
    .join('');
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in SUITES));
if (unknown.length > 0) {
  console.error(`no suite ${unknown.join(', ')}; there are ${Object.keys(SUITES).join(', ')}`);
  process.exit(2);
}

build({ tests: true });
let passed = 0;
let failed = 0;
for (const [name, suite] of Object.entries(SUITES)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const start = Date.now();
  suite.before?.();
  const result = suite.run();
  const [good, bad] = counts(result);
  passed += good;
  failed += bad;
  process.stdout.write(bad > 0 ? result.output : measured(result.output));
  console.log(
    `${bad > 0 ? 'FAIL' : 'ok  '} ${name.padEnd(12)} ${good} passed, ${bad} failed, ${((Date.now() - start) / 1000).toFixed(0)} s`,
  );
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
