/**
 * The engine in the page: its wasm and its catalog are data blocks of the same document, so nothing is fetched.
 * The wasm is gzip in base64: base64 of the plain module would compress a third worse on its way here.
 */
import { createEngine } from '../wasm/loader.mjs';

/** @typedef {import('../wasm/loader.mjs').EngineFactory} EngineFactory */

/**
 * @param {Document} page
 * @param {EngineFactory} factory
 */
export async function startEngine(page, factory) {
  const wasmBinary = await unzipped(fromBase64(textOf(page, 'engine-wasm')));
  return createEngine({ wasmBinary, catalog: textOf(page, 'catalog'), factory });
}

/**
 * @param {Document} page
 * @param {string} id
 */
function textOf(page, id) {
  const text = page.getElementById(id)?.textContent;
  if (!text) throw new Error(`the page lacks its data block "${id}"`);
  return text;
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
async function unzipped(bytes) {
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

/** @param {string} text */
function fromBase64(text) {
  return Uint8Array.from(atob(text.trim()), (char) => char.charCodeAt(0));
}
