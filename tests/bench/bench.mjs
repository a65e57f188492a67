#!/usr/bin/env node
// Times the engine natively and in Node's wasm: node tests/bench/bench.mjs [--json] [--instructions]
//
// Both sides run in this one call, alternating where it matters little, because machines differ from hour to hour: trust
// the ratio, not the nanoseconds. Loops that the JSON face does not reach (one estimate, one layout) are
// compared by the API call around them; `native_inner_ns` is the loop itself, native only.
// RIGSIZER_BUILD and RIGSIZER_WASM name the build folders (default build/native, build/wasm).
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { loadModule } from '../../wasm/node.mjs';

const { values: options } = parseArgs({ options: { json: { type: 'boolean' }, instructions: { type: 'boolean' } } });
const root = fileURLToPath(new URL('../../', import.meta.url));
const native = process.env.RIGSIZER_BUILD ?? join(root, 'build/native');
const wasm = process.env.RIGSIZER_WASM ?? join(root, 'build/wasm');
const program = join(native, 'tests/rigsizer_bench');
const catalog = join(native, 'tests/catalog.json');

const SERVE = '{"model":"llama-3-70b","task":"serve","accelerator":"H100-SXM","count":8}';
const TRAIN = '{"model":"llama-3-70b","task":"full","accelerator":"H100-SXM","count":8}';
const PLAN = '{"model":"llama-3-70b","task":"serve","filter":{"max_count":8}}';
const SEARCH = '{"model":"llama-3-70b","task":"serve","filter":{"min_count":4096,"max_count":4096}}';
const DESCRIBE =
  '{"model":{"config":{"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,"num_key_value_heads":8,' +
  '"intermediate_size":14336,"vocab_size":128256,"max_position_embeddings":8192}}}';

/** What is measured: the native loop compared, the wasm loop, and a native loop of the inner work alone where there is one. */
const ROWS = {
  serving_estimate: {
    native: 'api_serving_estimate',
    inner: 'serving_estimate',
    run: (engine) => engine.estimate(SERVE),
    per: 'one serving estimate with its explanation, JSON in and out (Llama 3 70B on 8 H100)',
  },
  training_estimate: {
    native: 'api_training_estimate',
    inner: 'training_estimate',
    run: (engine) => engine.estimate(TRAIN),
    per: 'one training estimate with its explanation, JSON in and out (Llama 3 70B on 8 H100)',
  },
  layout_search: {
    native: 'api_layout_search',
    inner: 'layout_search',
    divided: true,
    run: (engine) => engine.plan(SEARCH),
    per: 'one evaluated layout: a plan with every offer filtered away, over the layouts it tries (inner: 8 H100)',
  },
  plan_single_node: {
    native: 'plan_single_node',
    inner: 'plan_search',
    run: (engine) => engine.plan(PLAN),
    per: 'one plan over the whole catalog, up to 8 accelerators, JSON in and out',
  },
  load_catalog: { native: 'load_catalog', inner: null, run: null, per: 'one engine over the whole catalog' },
  describe_config: {
    native: 'describe_config',
    inner: null,
    run: (engine) => engine.describe(DESCRIBE),
    per: 'one pasted config, JSON in and out',
  },
};

for (const file of [program, catalog, join(wasm, 'rigsizer.js')]) {
  if (existsSync(file)) continue;
  console.error(`${file} is missing: run "npm run bench", which builds it`);
  process.exit(2);
}

if (options.instructions) {
  countInstructions();
} else {
  const results = await measure();
  if (options.json) console.log(JSON.stringify({ machine: machine(), results }, null, 2));
  else printTable(results);
}

function machine() {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  };
}

/** Nanoseconds per evaluation by the name of the native loop; `layouts` is how many layouts one search evaluates. */
function runNative() {
  const text = execFileSync(program, ['--benchmark_format=json', '--benchmark_min_time=0.3'], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, RIGSIZER_TEST_CATALOG: catalog },
  });
  const unit = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };
  const times = {};
  for (const { name, cpu_time, time_unit, items_per_second, layouts } of JSON.parse(text).benchmarks) {
    if (layouts) times.layouts = layouts;
    times[name] = items_per_second ? 1e9 / items_per_second : cpu_time * unit[time_unit];
  }
  return times;
}

/** Nanoseconds of one call: warmed up, then for 0.4 s in batches; the median of batches is robust to other load. */
function time(run) {
  for (const until = performance.now() + 100; performance.now() < until; ) run();
  const batches = [];
  const started = performance.now();
  let size = 1;
  while (performance.now() - started < 400 || batches.length < 5) {
    const before = performance.now();
    for (let i = 0; i < size; ++i) run();
    const took = performance.now() - before;
    if (took < 2) {
      size *= 2;
      continue;
    }
    batches.push((took / size) * 1e6);
  }
  batches.sort((a, b) => a - b);
  return batches[batches.length >> 1];
}

async function measure() {
  const module = await loadModule({
    glue: pathToFileURL(join(wasm, 'rigsizer.js')),
    wasm: pathToFileURL(join(wasm, 'rigsizer.wasm')),
  });
  const text = readFileSync(catalog, 'utf8');
  const engine = new module.Engine(text);
  const inNative = runNative();
  const load = () => new module.Engine(text).delete();
  const results = {};
  for (const [name, row] of Object.entries(ROWS)) {
    const run = row.run ? () => row.run(engine) : load;
    if (row.run && 'error' in JSON.parse(row.run(engine))) throw new Error(`${name}: ${row.run(engine)}`);
    const parts = row.divided ? inNative.layouts : 1;
    const nativeNs = inNative[row.native] / parts;
    const wasmNs = time(run) / parts;
    results[name] = {
      native_ns: round(nativeNs),
      wasm_ns: round(wasmNs),
      ratio: round(wasmNs / nativeNs),
      per: row.per,
    };
    if (row.inner) results[name].native_inner_ns = round(inNative[row.inner]);
  }
  return results;
}

/** Four significant digits. */
function round(value) {
  return Number(value.toPrecision(4));
}

function printTable(results) {
  const nanoseconds = (value) =>
    value === undefined
      ? '-'
      : value < 1e4
        ? `${value} ns`
        : value < 1e7
          ? `${round(value / 1e3)} us`
          : `${round(value / 1e6)} ms`;
  const rows = Object.entries(results).map(([name, r]) => [
    name,
    nanoseconds(r.native_ns),
    nanoseconds(r.wasm_ns),
    `${r.ratio} x`,
    nanoseconds(r.native_inner_ns),
    r.per,
  ]);
  const head = ['', 'native', 'wasm', 'ratio', 'native, no JSON', 'per'];
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i].length)));
  for (const row of [head, ...rows])
    console.log(
      row
        .map((cell, i) => (i === 0 || i === 5 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
        .join('  ')
        .trimEnd(),
    );
}

/** Two runs whose difference is one plan, so that loading the catalog is not counted. */
function countInstructions() {
  if (spawnSync('valgrind', ['--version']).status !== 0) {
    console.log('valgrind is not installed: instructions are not counted');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'rigsizer-'));
  const count = (plans) => {
    const run = spawnSync(
      'valgrind',
      [
        '--tool=callgrind',
        `--callgrind-out-file=${join(folder, 'out')}`,
        join(native, 'tests/rigsizer_plan_once'),
        catalog,
        String(plans),
      ],
      { encoding: 'utf8' },
    );
    const total = /Collected : (\d+)/.exec(run.stderr);
    if (run.status !== 0 || !total) throw new Error(run.stderr);
    return Number(total[1]);
  };
  const one = count(1);
  const two = count(2);
  rmSync(folder, { recursive: true });
  console.log(
    JSON.stringify({ plan_single_node: { instructions: two - one }, first_plan_with_load: { instructions: one } }),
  );
}
