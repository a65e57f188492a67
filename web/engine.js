/** The engine in the page: its wasm and its catalog are data blocks of the same document. */
import { createEngine } from '../wasm/loader.mjs';
import { blockOf, unpacked, unpackedText } from './packed.js';

/** @typedef {import('../wasm/loader.mjs').EngineFactory} EngineFactory */

/**
 * @param {Document} page
 * @param {EngineFactory} factory
 */
export async function startEngine(page, factory) {
  const wasmBinary = unpacked(blockOf(page, 'engine-wasm'));
  return createEngine({ wasmBinary, catalog: unpackedText(blockOf(page, 'catalog')), factory });
}
