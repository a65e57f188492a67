#!/usr/bin/env node
// Runs a GoogleTest program compiled to wasm: node run_wasm.mjs rigsizer_tests.cjs [--gtest_filter=...]
//
// `wasmBinary` is handed over because the loader of Emscripten before 3.1.25 mistakes Node 18 and later for a browser.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [glue, ...options] = process.argv.slice(2);
if (!glue) {
  console.error('usage: run_wasm.mjs TESTS.cjs [options of GoogleTest]');
  process.exit(2);
}
const path = resolve(glue);
const createTests = createRequire(import.meta.url)(path);
const module = await createTests({
  wasmBinary: readFileSync(path.replace(/\.cjs$/, '.wasm')),
  preRun: [(instance) => Object.assign(instance.ENV, process.env)],
});
process.exitCode = module.callMain(options);
