/**
 * The engine in the page: its wasm and its catalog are data blocks of the same document, so nothing is fetched.
 * The wasm is LZMA in base64, a fifth smaller than the gzip that browsers could undo themselves; only the decoder is taken
 * of the library, whose index would bring its encoder along.
 */
import { Decoder } from '../node_modules/lzma1/lib/decoder.js';
import { InputBuffer, OutputBuffer } from '../node_modules/lzma1/lib/streams.js';
import { createEngine } from '../wasm/loader.mjs';

/** @typedef {import('../wasm/loader.mjs').EngineFactory} EngineFactory */

/**
 * @param {Document} page
 * @param {EngineFactory} factory
 */
export async function startEngine(page, factory) {
  const wasmBinary = unpacked(fromBase64(textOf(page, 'engine-wasm')));
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

/** @param {Uint8Array} bytes */
function unpacked(bytes) {
  const output = new OutputBuffer(bytes.length * 4);
  new Decoder().decompress(new InputBuffer(bytes), output);
  return output.toArray();
}

/** @param {string} text */
function fromBase64(text) {
  return Uint8Array.from(atob(text.trim()), (char) => char.charCodeAt(0));
}
