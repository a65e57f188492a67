/** The explanation is the computation: every formula shown, evaluated with the inputs shown, gives the bytes shown. */
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { loadEngine } from '../../wasm/node.mjs';
import { filledIn } from '../../web/working.js';
import { evaluate } from './evaluate.mjs';

/** @typedef {import('../../wasm/rigsizer.d.ts').PlanRequest} PlanRequest */

/** Dense, tied, windowed, experts, latent attention, hybrid and recurrent. */
const MODELS = [
  'llama-3-8b',
  'llama-3.1-70b',
  'qwen2.5-1.5b',
  'gpt2',
  'gemma-2-9b',
  'mixtral-8x7b',
  'qwen3-30b-a3b',
  'deepseek-v3',
  'gpt-oss-20b',
  'qwen3-next-80b-a3b',
  'mamba-2.8b',
];

/** @type {Omit<PlanRequest, 'model'>[]} */
const JOBS = [
  { task: 'serve' },
  { task: 'serve', serve: { weight_format: 'int4', kv_format: 'fp8', context_tokens: 32768, concurrency: 7 } },
  { task: 'full' },
  { task: 'full', train: { recompute: 'none', loss: 'fused', optimizer: 'adafactor', micro_batch: 3 } },
  {
    task: 'full',
    train: { recompute: 'selective', optimizer: 'adamw_8bit', precision: 'bf16_pure', sharding: 'full' },
  },
  { task: 'lora' },
  { task: 'lora', train: { lora_rank: 64, lora_targets: 'attention', recompute: 'none', sequence_tokens: 777 } },
  { task: 'qlora' },
  { task: 'qlora', train: { sharding: 'full', micro_batch: 4 } },
];

/** One, two and eight accelerators: alone, over PCIe, over NVLink. */
const SHAPES = [
  ['L40S', 1],
  ['L40S', 2],
  ['H100-SXM', 8],
];

/** @type {import('../../wasm/rigsizer.d.ts').RigsizerEngine} */
let engine;
before(async () => {
  engine = await loadEngine();
});

/** @param {import('../../wasm/rigsizer.d.ts').MemoryEstimate} estimate @param {string} what */
function check({ lines, total }, what) {
  let sum = 0;
  for (const line of lines) {
    const symbols = Object.fromEntries(line.inputs.map(({ symbol, value }) => [symbol, value]));
    const value = evaluate(line.formula, symbols);
    const allowed = Math.max(1, line.bytes / 1e9);
    assert.ok(
      Math.abs(value - line.bytes) <= allowed,
      `${what} ${line.id}: ${line.formula} = ${value}, not ${line.bytes}`,
    );
    assert.ok(line.low <= line.bytes && line.bytes <= line.high, `${what} ${line.id}: its band does not hold it`);
    const unused = line.inputs.filter(({ symbol }) => !new RegExp(`\\b${symbol}\\b`).test(line.formula));
    assert.deepEqual(
      unused.map(({ symbol }) => symbol).filter((symbol) => symbol !== 'context_tokens'),
      [],
      `${what} ${line.id} names inputs it does not use`,
    );
    assert.equal(
      new Set(line.inputs.map(({ symbol }) => symbol)).size,
      line.inputs.length,
      `${what} ${line.id}: one symbol, one value`,
    );
    sum += line.bytes;
  }
  assert.ok(
    Math.abs(sum - total.value) <= Math.max(lines.length, total.value / 1e9),
    `${what}: the lines give ${sum}, the total ${total.value}`,
  );
}

for (const model of MODELS) {
  test(`the formulas of ${model} give its bytes`, () => {
    let checked = 0;
    for (const job of JOBS) {
      for (const [accelerator, count] of SHAPES) {
        const answer = engine.estimate({ model, ...job, accelerator: String(accelerator), count: Number(count) });
        if ('error' in answer) assert.fail(`${model} ${JSON.stringify(job)}: ${answer.error.message}`);
        if (!answer.estimate) continue; // no layout of this job on this shape
        check(answer.estimate, `${model} ${JSON.stringify(job)} on ${count} x ${accelerator}`);
        checked += answer.estimate.lines.length;
      }
    }
    assert.ok(checked > 60, `only ${checked} lines were checked`);
  });
}

test('the machine a plan selects is explained like any other', () => {
  const answer = engine.plan({ model: 'llama-3-8b', task: 'lora' });
  if ('error' in answer) assert.fail(answer.error.message);
  assert.ok(answer.selected);
  check(answer.selected, 'plan');
});

test('the evaluator reads precedence, functions and refuses the rest', () => {
  assert.equal(evaluate('2 + 3 * (4 - 1) / 9', {}), 3);
  assert.equal(evaluate('max(a, ceil(b / 2)) * 1e3', { a: 1, b: 5 }), 3000);
  assert.throws(() => evaluate('x', {}), /no input/);
  assert.throws(() => evaluate('2 ** 3', {}));
  assert.throws(() => evaluate('alert(1)', {}));
});

test('values are put in for whole symbols only', () => {
  const inputs = [
    { symbol: 'kv', value: 2, unit: '' },
    { symbol: 'kv_heads', value: 8, unit: '' },
  ];
  assert.equal(filledIn('kv_heads * kv + max(kv, other)', inputs, String), '8 × 2 + max(2, other)');
});
