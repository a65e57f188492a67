/** Whatever the engine says over a wide range of questions has a text in both languages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import { loadEngine } from '../../wasm/node.mjs';
import { formatsFor } from '../../web/format.js';
import { translator } from '../../web/i18n.js';
import { failureText, reasonText } from '../../web/reasons.js';

/** @typedef {import('../../wasm/rigsizer.d.ts').PlanRequest} PlanRequest */
/** @typedef {{ code: string, values: Record<string, number | string> }} Coded */

const LANGUAGES = ['en', 'zh-CN'].map((lang) => {
  const strings = JSON.parse(readFileSync(new URL(`../../web/strings/${lang}.json`, import.meta.url), 'utf8'));
  return { lang, words: translator(lang, strings, formatsFor(lang)) };
});

/** @type {import('../../wasm/rigsizer.d.ts').RigsizerEngine} */
let engine;
before(async () => {
  engine = await loadEngine();
});

/** @returns {Iterable<PlanRequest>} */
function* questions() {
  for (const model of ['llama-3-8b', 'deepseek-v3', 'gemma-2-9b', 'gpt-oss-20b', 'mamba-2.8b']) {
    for (const task of /** @type {const} */ (['full', 'lora', 'qlora']))
      yield { model, task, term: 'spot', today: '2026-12-01' };
    for (const format of /** @type {const} */ (['bf16', 'fp8', 'int4', 'mxfp4', 'fp32'])) {
      yield {
        model,
        task: 'serve',
        serve: { weight_format: format, context_tokens: 300_000 },
        filter: { max_price_per_h: 2 },
      };
    }
    for (const engine of /** @type {const} */ (['sglang', 'tensorrt-llm', 'lmdeploy', 'llama.cpp', 'transformers'])) {
      yield { model, task: 'serve', serve: { engine, concurrency: 3 }, filter: { max_count: 2 } };
    }
    for (const recompute of /** @type {const} */ (['none', 'selective']))
      yield { model, task: 'full', train: { recompute, loss: 'fused' } };
    yield {
      model,
      task: 'full',
      train: { optimizer: 'adafactor', precision: 'bf16_pure' },
      select: 'Nobody/nothing/nowhere',
    };
  }
}

test('codes, symbols, units, parts and reasons for defaults all have texts', () => {
  const keys = new Set();
  /** @type {Coded[]} */
  const coded = [];
  for (const request of questions()) {
    const answer = engine.plan(request);
    if ('error' in answer) assert.fail(`${JSON.stringify(request)}: ${answer.error.message}`);
    coded.push(...answer.warnings, ...answer.shapes.flatMap((shape) => [...shape.reasons, ...shape.notes]));
    for (const one of answer.assumed) keys.add(`assumed.why.${one.why}`);
    for (const row of answer.offers) keys.add(`state.${row.verdict}`);
    for (const reason of answer.shapes
      .filter(({ verdict }) => verdict !== 'fits' && verdict !== 'tight')
      .flatMap(({ reasons }) => reasons.slice(0, 1))) {
      keys.add(`group.${reason.code}`);
    }
    for (const line of answer.selected?.lines ?? []) {
      keys.add(`line.${line.id}`).add(`line.${line.id}_what`);
      for (const input of line.inputs) keys.add(`symbol.${input.symbol}`).add(`unit.${input.unit}`);
    }
  }
  for (const { code } of coded) keys.add(`reason.${code}`);
  for (const { lang, words } of LANGUAGES) {
    assert.deepEqual(
      [...keys].filter((key) => !words.has(key)),
      [],
      lang,
    );
    for (const one of coded) assert.doesNotMatch(reasonText(words, one), /undefined|NaN|\{/, `${lang} ${one.code}`);
  }
  assert.ok(keys.size > 80);
});

test('every unsupported model says why', () => {
  const { models } = engine.catalog();
  for (const { words, lang } of LANGUAGES) {
    for (const model of models.filter(({ supported }) => !supported)) {
      const code = /** @type {import('../../web/context.d.ts').CatalogModel} */ (model).why_not_code;
      assert.ok(words.has(`unsupported.${code}`), `${lang} ${code}`);
      assert.ok(words.has(`modality.${model.modality}`), `${lang} ${model.modality}`);
    }
  }
});

test('bad input is told in both languages, with its values', () => {
  /** @type {any[]} */
  const bad = [
    { model: 'llama-3-8x', task: 'serve' },
    { model: 'llama-3-8b', task: 'dance' },
    { model: 'llama-3-8b', task: 'serve', serve: { context_tokens: 0 } },
    { model: 'llama-3-8b', task: 'serve', serve: { context_tokens: 'many' } },
    { model: 'llama-3-8b', task: 'serve', nonsense: 1 },
    { model: { config_text: '{"model_type": "llama", ' }, task: 'serve' },
    { model: { config_text: '{}' }, task: 'serve' },
    { model: { config_text: '{"model_type": "llama"}' }, task: 'serve' },
    { model: { config_text: '{"model_type": "bert", "hidden_size": 768}' }, task: 'serve' },
    { model: { config: { model_type: 'llama', hidden_size: -1, num_hidden_layers: 2 } }, task: 'serve' },
  ];
  for (const request of bad) {
    const answer = engine.plan(request);
    if (!('error' in answer)) assert.fail(`${JSON.stringify(request)} was taken`);
    for (const { words, lang } of LANGUAGES) {
      assert.ok(words.has(`failure.${answer.error.code}`), `${lang}: no text for ${answer.error.code}`);
      assert.doesNotMatch(
        failureText(words, answer.error),
        /undefined|: NaN|\{\w+[}:]/,
        `${lang} ${answer.error.code}`,
      );
    }
  }
});
