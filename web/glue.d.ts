/** Emscripten's glue under the name that pack.mjs resolves. */
declare module 'rigsizer-glue' {
  const factory: import('../wasm/loader.mjs').EngineFactory;
  export default factory;
}
