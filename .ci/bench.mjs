// npm run bench: builds what is compared, then times it. Standard output holds the results alone.
import { build, buildNative } from './build.mjs';
import { setup } from './setup.mjs';

setup({ tests: true });
build();
buildNative('native');
await import('../tests/bench/bench.mjs');
