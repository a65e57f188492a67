/** The part of lzma1 that is used; the package's own types are its sources, which stricter settings refuse. */
declare module '*/lzma1/lib/decoder.js' {
  import type { InputBuffer, OutputBuffer } from '*/lzma1/lib/streams.js';
  export class Decoder {
    decompress(input: InputBuffer, output: OutputBuffer): boolean;
  }
}
declare module '*/lzma1/lib/streams.js' {
  export class InputBuffer {
    constructor(data: Uint8Array);
  }
  export class OutputBuffer {
    constructor(size: number);
    toArray(): Uint8Array<ArrayBuffer>;
  }
}
declare module '*/lzma1/lib/index.js' {
  export function compress(data: Uint8Array, mode: number): Uint8Array<ArrayBuffer>;
}
