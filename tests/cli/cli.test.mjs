/** The command line over the real engine: answers, exit status, messages. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '../../wasm/node.mjs';
import { FIELDS } from '../../web/fields.js';

const CLI = fileURLToPath(new URL('../../wasm/cli.mjs', import.meta.url));

/** @type {import('../../wasm/rigsizer.d.ts').RigsizerEngine} */
let engine;
/** @type {string} */
let folder;

before(async () => {
  engine = await loadEngine();
  folder = await mkdtemp(join(tmpdir(), 'rigsizer-cli-'));
});
after(() => rm(folder, { recursive: true }));

/**
 * @param {string[]} args
 * @param {string} [input]
 * @returns {Promise<{ status: number | null, out: string, err: string }>}
 */
function rigsizer(args, input = '') {
  return new Promise((done) => {
    const child = spawn(process.execPath, [CLI, ...args]);
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => (out += data));
    child.stderr.on('data', (data) => (err += data));
    child.on('close', (status) => done({ status, out, err }));
    child.stdin.end(input);
  });
}

/** @param {string} name @param {string} text */
async function file(name, text) {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

const REQUEST = /** @type {const} */ ({ model: 'llama-3-8b', task: 'lora', train: { sequence_tokens: 2048 } });

test('plan --json prints exactly what the engine says, from a file, from standard input and from flags', async () => {
  const want = engine.plan(REQUEST);
  const path = await file('request.json', JSON.stringify(REQUEST));
  const flags = ['--model', 'llama-3-8b', '--task', 'lora', '--sequence', '2048'];
  for (const [args, input] of /** @type {[string[], string][]} */ ([
    [[path], ''],
    [['-'], JSON.stringify(REQUEST)],
    [flags, ''],
  ])) {
    const { status, out, err } = await rigsizer(['plan', ...args, '--json'], input);
    assert.deepEqual(JSON.parse(out), want);
    assert.equal(err, '');
    assert.equal(status, 0);
  }
});

test('a flag goes over the same field of the file', async () => {
  const path = await file('request.json', JSON.stringify(REQUEST));
  const args = [
    'plan',
    path,
    '--sequence',
    '4096',
    '--kinds',
    'ai-cloud,marketplace',
    '--whole',
    '--max-price',
    '2',
    '--currency',
    'EUR',
    '--rate-eur',
    '0.9',
    '--json',
  ];
  const { out, status } = await rigsizer(args);
  assert.deepEqual(
    JSON.parse(out),
    engine.plan({
      ...REQUEST,
      train: { sequence_tokens: 4096 },
      filter: { provider_kinds: ['ai-cloud', 'marketplace'], whole_accelerators_only: true, max_price_per_h: 2 },
      currency: 'EUR',
      exchange_rates: { EUR: 0.9 },
    }),
  );
  assert.equal(status, 0);
});

test('plan prints a table to read, in both languages', async () => {
  const args = ['plan', '--model', 'llama-3-8b', '--task', 'lora', '--limit', '3'];
  const english = await rigsizer(args);
  assert.match(english.out, /machines fit\. Cheapest: /);
  assert.match(english.out, /Weights +15\.0 GiB/);
  assert.match(english.out, /No bf16: \d+ machines/);
  const chinese = await rigsizer([...args, '--lang', 'zh-CN', '--currency', 'CNY']);
  assert.match(chinese.out, /台机器中有 \d+ 台可用。最便宜：/);
  assert.match(chinese.out, /权重 +15\.0 GiB/);
  for (const { out } of [english, chinese])
    assert.doesNotMatch(out, /undefined|NaN|\b(?:field|line|reason|column)\.[a-z]/);
});

test('no machine that fits is status 1', async () => {
  const { status, out } = await rigsizer(['plan', '--model', 'llama-3.1-405b', '--task', 'full', '--max-count', '1']);
  assert.equal(status, 1);
  assert.match(out, /No machine here fits this job/);
});

test('estimate answers for one kind of accelerator', async () => {
  const args = ['estimate', '--model', 'llama-3-8b', '--task', 'full', '--accelerator', 'L40S'];
  const short = await rigsizer([...args, '--count', '2', '--json']);
  assert.deepEqual(
    JSON.parse(short.out),
    engine.estimate({ model: 'llama-3-8b', task: 'full', accelerator: 'L40S', count: 2 }),
  );
  assert.equal(short.status, 1);
  const fits = await rigsizer(['estimate', '--model', 'gpt2', '--task', 'lora', '--accelerator', 'L40S']);
  assert.equal(fits.status, 0);
  assert.match(fits.out, /L40S, one accelerator: fits/);
});

test('describe takes a config.json, standard input or a catalog id', async () => {
  const config = {
    model_type: 'llama',
    hidden_size: 64,
    intermediate_size: 128,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    vocab_size: 1000,
  };
  const path = await file('config.json', JSON.stringify(config));
  const want = engine.describe({ model: { config } });
  for (const [args, input] of /** @type {[string[], string][]} */ ([
    [[path], ''],
    [['-'], JSON.stringify(config)],
  ])) {
    assert.deepEqual(JSON.parse((await rigsizer(['describe', ...args, '--json'], input)).out), want);
  }
  const { out, status } = await rigsizer(['describe', 'llama-3-8b', '--contexts', '4096,8192']);
  assert.equal(status, 0);
  assert.match(out, /8\.03B parameters/);
  assert.match(out, /8,192 +1\.0 GiB/);
});

test('offers lists machines by provider, accelerator, region and price', async () => {
  const args = [
    'offers',
    '--provider',
    'aws',
    '--accelerator',
    'l40s',
    '--region',
    'us-east',
    '--max-price',
    '3',
    '--currency',
    'EUR',
    '--json',
  ];
  const { out, status } = await rigsizer(args);
  const rows = JSON.parse(out);
  assert.equal(status, 0);
  assert.ok(rows.length > 0);
  for (const row of rows) {
    assert.equal(row.provider, 'AWS');
    assert.match(row.region, /us-east/);
    assert.equal(row.price_currency, 'EUR');
    assert.ok(row.price_per_h <= 3);
  }
  assert.equal((await rigsizer(['offers', '--provider', 'nobody'])).status, 1);
  const all = await rigsizer(['offers', '--json']);
  assert.equal(JSON.parse(all.out).length, engine.catalog().offers.length);
});

test('input that is wrong is status 2, with code, path and hint, and nothing on standard output', async () => {
  const broken = await file('broken.json', '{"model": ');
  const empty = await file('empty.json', ' \n');
  const list = await file('list.json', '[]');
  /** @type {[string[], RegExp][]} */
  const cases = [
    [['plan', join(folder, 'absent.json')], /no file .*absent\.json[\s\S]*\(file_missing\)/],
    [['plan', folder], /is a directory[\s\S]*\(file_is_directory\)/],
    [['plan', empty], /is empty[\s\S]*\(input_empty\)/],
    [['plan', '-'], /Standard input is empty/],
    [['plan', broken], /is not JSON[\s\S]*\(request_not_json\)/],
    [['plan', list], /should be a JSON object/],
    [['plan'], /needs a request file/],
    [['plan', '--model', 'llama-3-8x', '--task', 'lora'], /llama-3-8b[\s\S]*at \/model[\s\S]*\(unknown_model\)/],
    [['plan', '--model', 'llama-3-8b', '--task', 'dance'], /at \/task[\s\S]*\(request_choice\)/],
    [['plan', '--model', 'llama-3-8b', '--task', 'lora', '--sequence', 'many'], /at \/train\/sequence_tokens/],
    [['plan', '--model', 'llama-3-8b', '--task', 'lora', '--sequence', '0'], /at \/train\/sequence_tokens/],
    [['plan', '--model', 'llama-3-8b', '--task', 'serve', '--rank', '8'], /--rank says nothing about/],
    [['plan', '--modell', 'llama-3-8b'], /--modell[\s\S]*\(flag_wrong\)/],
    [['plan', 'a.json', 'b.json'], /one request/],
    [['plan', '--model', 'gpt2', '--task', 'lora', '--limit', 'x'], /--limit/],
    [['plan', '--model', 'gpt2', '--task', 'lora', '--lang', 'fr'], /en, zh-CN/],
    [['estimate', '--model', 'gpt2', '--task', 'lora'], /accelerator/],
    [['describe'], /needs a config\.json/],
    [['describe', 'no/such/config.json'], /no file/],
    [['offers', 'stray'], /takes no argument/],
    [['dance'], /no command "dance"/],
    [[], /Usage: rigsizer/],
  ];
  for (const [args, message] of cases) {
    const { status, out, err } = await rigsizer(args);
    assert.equal(status, 2, `${args}: ${out}${err}`);
    assert.match(err, message);
    assert.equal(out, '');
  }
});

test('messages come in Chinese too', async () => {
  const { err } = await rigsizer([
    'plan',
    '--model',
    'llama-3-8b',
    '--task',
    'serve',
    '--context',
    '0',
    '--lang',
    'zh-CN',
  ]);
  assert.match(err, /此项应在/);
});

test('help lists every flag', async () => {
  const { out, status } = await rigsizer(['plan', '--help']);
  assert.equal(status, 0);
  for (const { key } of FIELDS.filter((field) => field.path)) assert.match(out, new RegExp(`--${key}\\b`));
  assert.match((await rigsizer(['--help'])).out, /describe config\.json/);
});

test('a reader that stops reading is no error', async () => {
  const child = spawn('sh', ['-c', `"${process.execPath}" "${CLI}" offers --json | head -c 10`]);
  let err = '';
  child.stderr.on('data', (data) => (err += data));
  await new Promise((done) => child.on('close', done));
  assert.equal(err, '');
});

test('validate sets measured runs beside predictions, as JSON and as a table', async () => {
  const csv = fileURLToPath(new URL('../measured/train.csv', import.meta.url));
  const asked = await rigsizer(['validate', csv, '--json']);
  assert.equal(asked.status, 0);
  const answer = JSON.parse(asked.out);
  const predicted = answer.rows.filter(
    (/** @type {any} */ row) => row.metric === 'memory_gib' && row.predicted !== null,
  );
  assert.equal(predicted.length, answer.summary.memory_gib.n);
  assert.ok(predicted.length > 300);
  for (const { measured, predicted: value, low, high, error_pct: error } of predicted) {
    assert.ok(low <= value && value <= high);
    assert.ok(Math.abs(error - (100 * (value - measured)) / measured) < 1e-6);
  }
  assert.ok(answer.rows.every((/** @type {any} */ row) => row.predicted !== null || row.skipped));
  const table = await rigsizer(['validate', csv, '--limit', '3', '--lang', 'zh-CN']);
  assert.match(table.out, /高可信度的行/);
  assert.match(table.out, /所需显存，GiB +\d+ /);
  assert.doesNotMatch(table.out, /undefined|NaN|\baccuracy\.[a-z]/);
});

test('validate says what is wrong with a file', async () => {
  for (const [text, code] of /** @type {const} */ ([
    ['a,b\n1\n', 'csv_wrong'],
    ['price\n3\n', 'rows_of_no_kind'],
    ['', 'input_empty'],
  ])) {
    const { status, err } = await rigsizer(['validate', '-'], text);
    assert.equal(status, 2, text);
    assert.match(err, new RegExp(code));
  }
});
