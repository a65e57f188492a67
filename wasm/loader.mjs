/**
 * The typed face of the engine: objects in and out over the JSON text of the wasm module.
 *
 * `wasmBinary` is always handed over, so Emscripten's own loader never looks for a file or fetches anything: the same
 * code runs in Node, from a web server and from a page opened from disk.
 *
 * @typedef {import('./rigsizer.d.ts').RigsizerEngine} RigsizerEngine
 * @typedef {import('./rigsizer.d.ts').EngineHandle} EngineHandle
 * @typedef {{ Engine: new (catalog: string) => EngineHandle }} EngineModule
 * @typedef {(options: { wasmBinary: Uint8Array }) => EngineModule | PromiseLike<EngineModule>} EngineFactory
 */

/**
 * @param {{ wasmBinary: Uint8Array, catalog: string, factory?: EngineFactory }} parts
 *   `factory`: what Emscripten's glue defines; absent, the global `createRigsizer` of a script loaded before.
 * @returns {Promise<RigsizerEngine>}
 */
export async function createEngine({ wasmBinary, catalog, factory }) {
  const make = factory ?? /** @type {{ createRigsizer?: EngineFactory }} */ (globalThis).createRigsizer;
  if (typeof make !== 'function') throw new TypeError('createEngine needs the factory that rigsizer.js defines');
  const module = await make({ wasmBinary });
  return wrap(new module.Engine(catalog));
}

/**
 * @param {EngineHandle} handle
 * @returns {RigsizerEngine}
 */
function wrap(handle) {
  return {
    plan: (request) => withOfferRows(JSON.parse(handle.plan(JSON.stringify(request)))),
    offers: (request) => withOfferRows(JSON.parse(handle.offers(JSON.stringify(request)))),
    estimate: (request) => JSON.parse(handle.estimate(JSON.stringify(request))),
    describe: (request) => JSON.parse(handle.describe(JSON.stringify(request))),
    validate: (request) => JSON.parse(handle.validate(JSON.stringify(request))),
    catalog: () => JSON.parse(handle.catalog()),
    delete: () => handle.delete(),
  };
}

/**
 * The engine writes its offers as one header and plain rows, which saves most of the time of an answer; here they
 * become objects again.
 *
 * @param {any} answer
 * @returns {any}
 */
function withOfferRows(answer) {
  if (answer.error) return answer;
  const { columns, rows } = answer.offers;
  answer.offers = rows.map((/** @type {unknown[]} */ row) =>
    Object.fromEntries(row.map((value, i) => [columns[i], value])),
  );
  return answer;
}
