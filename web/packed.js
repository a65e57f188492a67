/**
 * Data blocks of the page's own document, so that nothing is fetched. Those packed with LZMA travel as base64, a fifth
 * smaller than the gzip that browsers could undo themselves; only the decoder is taken of the library, whose index would
 * bring its encoder along.
 */
import { Decoder } from '../node_modules/lzma1/lib/decoder.js';
import { InputBuffer, OutputBuffer } from '../node_modules/lzma1/lib/streams.js';

/**
 * @param {Document} page
 * @param {string} id
 */
export function blockOf(page, id) {
  const text = page.getElementById(id)?.textContent;
  if (!text) throw new Error(`the page lacks its data block "${id}"`);
  return text;
}

/** @param {string} block base64 of LZMA */
export function unpacked(block) {
  const bytes = Uint8Array.from(atob(block.trim()), (char) => char.charCodeAt(0));
  const output = new OutputBuffer(bytes.length * 4);
  new Decoder().decompress(new InputBuffer(bytes), output);
  return output.toArray();
}

/** @param {string} block */
export const unpackedText = (block) => new TextDecoder().decode(unpacked(block));
