/**
 * Makes the page: ONE file with markup, styles, script, engine and catalog inside, which fetches nothing and therefore
 * also works from disk. `node web/pack.mjs [dist/index.html]`
 *
 * The engine travels as base64 of its LZMA in a data block and is handed over as bytes (Emscripten's own single-file mode changed
 * its encoding between versions); so do the measured runs beside its predictions. The page states its own strict policy: only these very script and style texts run.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { compress } from '../node_modules/lzma1/lib/index.js';
import { loadEngine } from '../wasm/node.mjs';
import { accuracy } from './accuracy.mjs';

const WEB = fileURLToPath(new URL('./', import.meta.url));
const BUILD = fileURLToPath(new URL('../build/', import.meta.url));
const DIST = fileURLToPath(new URL('../dist/', import.meta.url));

/** The oldest browsers with all we use: container queries, `inert`. */
const TARGET = ['chrome105', 'firefox113', 'safari16.4'];

/** Emscripten's glue defines a global and offers CommonJS; as a module it has to say what it exports. */
const glue = {
  name: 'rigsizer-glue',
  /** @param {import('esbuild').PluginBuild} plugin */
  setup(plugin) {
    plugin.onResolve({ filter: /^rigsizer-glue$/ }, () => ({
      path: `${BUILD}wasm/rigsizer_page.js`,
      namespace: 'glue',
    }));
    plugin.onLoad({ filter: /.*/, namespace: 'glue' }, async ({ path }) => ({
      contents: `${await readFile(path, 'utf8')}\nexport default createRigsizer;`,
      resolveDir: dirname(path),
    }));
  },
};

/**
 * @param {string} entry
 * @param {import('esbuild').BuildOptions} options
 */
async function bundle(entry, options) {
  const { outputFiles } = await build({
    entryPoints: [`${WEB}${entry}`],
    bundle: true,
    minify: true,
    write: false,
    charset: 'utf8',
    legalComments: 'none',
    target: TARGET,
    logLevel: 'warning',
    ...options,
  });
  return (outputFiles?.[0].text ?? '').trim();
}

const bundleApp = () =>
  bundle('app.js', {
    format: 'iife',
    plugins: [glue],
    external: ['fs', 'path', 'crypto', 'url', 'ws', 'child_process', 'node:*'], // the glue's Node branch, never taken in a page
    logOverride: { 'commonjs-variable-in-esm': 'silent' },
  });

/** What would end or comment out the element that holds it. @param {string} text */
const insideScript = (text) => text.replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');

/** @param {string} text */
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * @param {string} app
 * @param {string} styles
 */
function policy(app, styles) {
  return [
    "default-src 'none'",
    `script-src ${hash(app)} 'wasm-unsafe-eval'`,
    `style-src ${hash(styles)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** @param {Uint8Array} bytes */
const packed = (bytes) => Buffer.from(compress(bytes, 9)).toString('base64');

/** The page's text. */
export async function pack() {
  const [template, app, styles, catalog, wasm, validation] = await Promise.all([
    readFile(`${WEB}index.html`, 'utf8'),
    bundleApp().then(insideScript),
    bundle('styles.css', {}),
    readFile(`${BUILD}catalog.json`, 'utf8'),
    readFile(`${BUILD}wasm/rigsizer_page.wasm`),
    loadEngine().then(accuracy),
  ]);
  /** @type {Record<string, string>} */
  const parts = {
    CSP: policy(app, styles),
    STYLES: styles,
    CATALOG: packed(Buffer.from(JSON.stringify(JSON.parse(catalog)))),
    ACCURACY: packed(Buffer.from(JSON.stringify(validation))),
    WASM: packed(wasm),
    APP: app,
  };
  return template.replaceAll(/%([A-Z]+)%/g, (whole, name) => parts[name] ?? whole);
}

async function main() {
  const target = resolve(process.argv[2] ?? `${DIST}index.html`);
  const page = await pack();
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, page);
  const kb = (/** @type {number} */ bytes) => `${(bytes / 1000).toFixed(1)} kB`;
  console.log(`${target}: ${kb(Buffer.byteLength(page))}, gzip ${kb(gzipSync(page, { level: 9 }).length)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
