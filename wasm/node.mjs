/**
 * The engine in Node, from the files that the build leaves in `build/`.
 *
 * The glue is CommonJS text while this package is `"type": "module"`, so `require` would take it for an ES module:
 * it is compiled as a function body with the names CommonJS promises.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import { createEngine } from './loader.mjs';

/** @typedef {import('./loader.mjs').EngineFactory} EngineFactory */

const ROOT = new URL('../', import.meta.url);

/** Where the build leaves what the engine is made of. */
export const ARTEFACTS = {
  glue: new URL('build/wasm/rigsizer.js', ROOT),
  wasm: new URL('build/wasm/rigsizer.wasm', ROOT),
  catalog: new URL('build/catalog.json', ROOT),
};

/** An engine over the built catalog. Rejects with a message that says what to build when a file is missing. */
export async function loadEngine(artefacts = ARTEFACTS) {
  const [factory, wasmBinary, catalog] = await Promise.all([
    factoryOf(artefacts.glue),
    read(artefacts.wasm),
    read(artefacts.catalog),
  ]);
  return createEngine({ wasmBinary, catalog: catalog.toString('utf8'), factory });
}

/**
 * The module below the typed face, texts in and out: for measuring and comparing.
 * @param {{ glue: URL, wasm: URL }} artefacts
 */
export async function loadModule({ glue, wasm } = ARTEFACTS) {
  const [factory, wasmBinary] = await Promise.all([factoryOf(glue), read(wasm)]);
  return factory({ wasmBinary });
}

/** @param {URL} glue */
const factoryOf = async (glue) => compileGlue((await read(glue)).toString('utf8'), fileURLToPath(glue));

/** @param {URL} file */
async function read(file) {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new Error(`${fileURLToPath(file)} is missing: run "npm run build" first`, { cause });
  }
}

/** All of `process` that the glue gets: the whole one it would hang its own handlers for uncaught errors on. */
const PROCESS = { versions: process.versions, argv: [], on() {} };

/**
 * @param {string} source
 * @param {string} filename
 * @returns {EngineFactory}
 */
function compileGlue(source, filename) {
  const module = { exports: /** @type {unknown} */ ({}) };
  const names = ['exports', 'module', 'require', '__filename', '__dirname', 'process'];
  const body = compileFunction(source, names, { filename });
  body(module.exports, module, createRequire(filename), filename, dirname(filename), PROCESS);
  return /** @type {EngineFactory} */ (module.exports);
}
