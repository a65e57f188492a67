// Installs what is missing on Debian and its kin; elsewhere says exactly what to install.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, run, which } from './shell.mjs';

const header = (name) =>
  ['/usr/include', '/usr/local/include', '/opt/homebrew/include'].some((folder) => existsSync(join(folder, name)));

/** What is needed, how to see that it is there, and Debian's package of it. */
const TOOLS = [
  { name: 'CMake 3.25 or newer', there: () => which('cmake'), debian: 'cmake' },
  { name: 'Ninja', there: () => which('ninja'), debian: 'ninja-build' },
  { name: 'Emscripten 3.1.6 or newer (em++ on PATH)', there: () => which('em++'), debian: 'emscripten' },
  { name: 'nlohmann_json 3.11 headers', there: () => header('nlohmann/json.hpp'), debian: 'nlohmann-json3-dev' },
];
const TEST_TOOLS = [
  { name: 'a C++20 compiler (g++ 12 or newer)', there: () => which('g++') ?? which('c++'), debian: 'g++' },
  { name: 'GoogleTest', there: () => header('gtest/gtest.h'), debian: 'libgtest-dev' },
  {
    name: "GoogleTest's sources, for the wasm build",
    there: () => existsSync('/usr/src/googletest/googletest'),
    debian: 'googletest',
  },
  { name: 'Google Benchmark', there: () => header('benchmark/benchmark.h'), debian: 'libbenchmark-dev' },
  {
    name: 'Chromium',
    there: () => which('chromium') ?? which('google-chrome') ?? process.env.CHROMIUM,
    debian: 'chromium',
  },
  {
    name: 'a font with Chinese',
    there: () => !which('apt-get') || existsSync('/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc'),
    debian: 'fonts-noto-cjk',
  },
];

function installTools(tools) {
  const missing = tools.filter((tool) => !tool.there());
  if (missing.length === 0) return;
  const root = process.getuid?.() === 0;
  const packages = missing.map((tool) => tool.debian);
  if (!which('apt-get') || !(root || which('sudo'))) {
    console.error(
      `Please install:\n${missing.map((tool) => `  - ${tool.name}${which('apt-get') ? ` (package ${tool.debian})` : ''}`).join('\n')}`,
    );
    process.exit(1);
  }
  console.log(`Installing ${packages.join(', ')} …`);
  const apt = (...args) =>
    run(root ? 'apt-get' : 'sudo', [...(root ? [] : ['apt-get']), ...args], {
      env: { DEBIAN_FRONTEND: 'noninteractive' },
      quiet: true,
    });
  apt('update', '-qq');
  apt('install', '-y', '--no-install-recommends', ...packages);
}

/** npm packages as locked; skipped while nothing changed. */
function installPackages() {
  const lock = join(ROOT, 'package-lock.json');
  const installed = join(ROOT, 'node_modules/.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lock).mtimeMs) return;
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
}

export function setup({ tests = false } = {}) {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    console.error(`Node 20 or newer is needed; this is ${process.version}.`);
    process.exit(1);
  }
  installTools(tests ? [...TOOLS, ...TEST_TOOLS] : TOOLS);
  installPackages();
}
