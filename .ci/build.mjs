// Builds the calculator: catalog bundle, wasm engine, page. Only what changed is built again.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setup } from './setup.mjs';
import { ROOT, run } from './shell.mjs';

const at = (...path) => join(ROOT, ...path);

/** Newest modification under a path. */
function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

/** True when `product` is missing or older than any of `inputs`. */
function stale(product, ...inputs) {
  return !existsSync(product) || inputs.some((input) => newest(input) > statSync(product).mtimeMs);
}

function buildCatalog() {
  const bundle = at('build/catalog.json');
  if (!stale(bundle, at('catalog'))) return;
  mkdirSync(at('build'), { recursive: true });
  run('node', ['catalog/bundle.mjs', bundle]);
}

function buildWasm({ tests }) {
  // Warnings stop our own tests, not somebody's build with a newer compiler that knows more of them.
  const wanted = `RIGSIZER_TESTS:BOOL=${tests ? 'ON' : 'OFF'}`;
  const cache = at('build/wasm/CMakeCache.txt');
  // A cache from another place or an interrupted configure is no use.
  if (
    existsSync(cache) &&
    !readFileSync(cache, 'utf8').includes(`CMAKE_HOME_DIRECTORY:INTERNAL=${ROOT.replace(/\/$/, '')}`)
  )
    rmSync(at('build/wasm'), { recursive: true });
  if (!existsSync(at('build/wasm/build.ninja')) || !readFileSync(cache, 'utf8').includes(wanted)) {
    run('emcmake', ['cmake', '--preset', 'wasm', `-D${wanted}`, `-DRIGSIZER_STRICT=${tests ? 'ON' : 'OFF'}`], {
      quiet: true,
    });
  }
  run('ninja', ['-C', 'build/wasm', '--quiet', ...(tests ? ['all'] : ['rigsizer_wasm', 'rigsizer_page_wasm'])]);
}

function buildPage() {
  const page = at('dist/index.html');
  if (
    stale(
      page,
      at('web'),
      at('wasm'),
      at('tests/measured'),
      at('build/catalog.json'),
      at('build/wasm/rigsizer.wasm'),
      at('build/wasm/rigsizer_page.wasm'),
      at('build/wasm/rigsizer.js'),
      at('package-lock.json'),
    )
  ) {
    run('node', ['web/pack.mjs']);
  }
}

/** A native build folder: "native" or "sanitize". */
export function buildNative(preset) {
  if (!existsSync(at('build', preset, 'build.ninja'))) run('cmake', ['--preset', preset], { quiet: true });
  run('ninja', ['-C', `build/${preset}`, '--quiet']);
}

export function build({ tests = false } = {}) {
  setup({ tests });
  buildCatalog();
  buildWasm({ tests });
  buildPage();
}

if (process.argv[1] === import.meta.filename || process.argv[1]?.endsWith('.ci/build.mjs')) build();
