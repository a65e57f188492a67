/** The state, its link and its attributes: what one form holds, the others hold. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldAt } from '../../web/fields.js';
import { History } from '../../web/history.js';
import { applied, isApplied, SCENARIOS, SHORTCUTS } from '../../web/presets.js';
import { planRequest } from '../../web/request.js';
import { fromAttributes, fromHash, merge, toAttributes, toHash } from '../../web/state.js';

/** As much of an element as the state needs. */
class Attributes {
  /** @type {Map<string, string>} */
  map = new Map();
  /** @param {string} name */
  hasAttribute = (name) => this.map.has(name);
  /** @param {string} name */
  getAttribute = (name) => this.map.get(name) ?? null;
  /** @param {string} name @param {string} value */
  setAttribute = (name, value) => void this.map.set(name, value);
  /** @param {string} name */
  removeAttribute = (name) => void this.map.delete(name);
}

const full = merge(
  {},
  {
    model: 'qwen-14b',
    task: 'qlora',
    sequence: 4096,
    batch: 2,
    rank: 64,
    targets: 'attention',
    providers: ['Gpushare (恒源云)', 'A, B & C', '50%'],
    kinds: ['cn-cloud', 'marketplace'],
    whole: true,
    'max-price': 2.5,
    term: 'spot',
    currency: 'CNY',
    'rate-cny': 7.1,
    from: 'config',
    config: '{"model_type": "llama",\n "x": "a+b&c=d%"}',
    select: 'AWS/g6e.xlarge/us-east-1',
    sort: '-ram',
    find: 'a100 80',
    lang: 'zh-CN',
  },
);

test('a link round trip keeps every kind of value', () => {
  assert.deepEqual(fromHash(toHash(full)), full);
  assert.deepEqual(fromHash(toHash(full).slice(1)), full);
});

test('an attribute round trip keeps every kind of value, and clears what is no longer said', () => {
  const element = /** @type {any} */ (new Attributes());
  toAttributes(element, full);
  assert.deepEqual(fromAttributes(element), full);
  toAttributes(element, merge({}, { model: 'gpt2' }));
  assert.deepEqual([...element.map], [['model', 'gpt2']]);
});

test('the link is readable and leaves defaults out, but always names model and task', () => {
  assert.equal(toHash({}), '#v=1&model=llama-3-8b&task=serve');
  assert.equal(
    toHash(merge({}, { task: 'lora', kinds: ['ai-cloud', 'marketplace'] })),
    '#v=1&model=llama-3-8b&task=lora&kinds=ai-cloud,marketplace',
  );
  assert.ok(toHash(merge({}, { model: 'llama-3-8b', sort: 'rank', currency: 'USD' })).length < 40);
});

test('a broken link loses the broken part only', () => {
  const state = fromHash(
    '#v=1&model=gpt2&task=dance&context=abc&nonsense=1&sequence=512&kinds=cn-cloud,moon&%E0%A4%A=2',
  );
  assert.deepEqual(state, { model: 'gpt2', sequence: 512, kinds: ['cn-cloud'] });
  assert.equal(fromHash(''), null);
  assert.equal(fromHash('#memory-title'), null);
});

test('the request holds what belongs to the task, in its place', () => {
  const request = planRequest(merge(full, { from: 'list' }), '2026-12-01');
  assert.deepEqual(request, {
    model: 'qwen-14b',
    task: 'qlora',
    train: { sequence_tokens: 4096, micro_batch: 2, lora_rank: 64, lora_targets: 'attention' },
    filter: {
      providers: ['Gpushare (恒源云)', 'A, B & C', '50%'],
      provider_kinds: ['cn-cloud', 'marketplace'],
      whole_accelerators_only: true,
      max_price_per_h: 2.5,
    },
    term: 'spot',
    currency: 'CNY',
    exchange_rates: { CNY: 7.1 },
    select: 'AWS/g6e.xlarge/us-east-1',
    today: '2026-12-01',
  });
  const other = planRequest(merge(full, { task: 'serve', context: 8192 }));
  assert.equal(other.train, undefined);
  assert.deepEqual(other.serve, { context_tokens: 8192 });
  assert.deepEqual(other.model, { config_text: full.config });
});

test('an error finds its field', () => {
  assert.equal(fieldAt('/serve/context_tokens')?.key, 'context');
  assert.equal(fieldAt('/model/config/hidden_size')?.key, 'model');
  assert.equal(fieldAt('/exchange_rates/CNY')?.key, 'rate-cny');
  assert.equal(fieldAt('/today'), undefined);
});

test('a preset replaces the job and keeps language and currency', () => {
  for (const preset of [...SCENARIOS, ...SHORTCUTS]) {
    const state = applied(full, preset);
    assert.ok(isApplied(state, preset), preset.id);
    assert.equal(state.lang, 'zh-CN');
    assert.equal(state.currency, 'CNY');
    assert.equal(state.providers, undefined);
    assert.ok(
      isApplied(merge(state, { select: 'x', sort: '-ram' }), preset),
      'looking around does not leave the preset',
    );
    assert.ok(!isApplied(merge(state, { 'max-count': 7 }), preset));
  }
});

test('typing is one step to undo, looking around is none', () => {
  const history = new History();
  history.record({ sequence: 1 }, ['sequence'], 0);
  history.record({ sequence: 12 }, ['sequence'], 300);
  history.record({ sequence: 128 }, ['sort'], 600);
  history.record({ sequence: 128 }, ['task'], 900);
  assert.deepEqual(history.undo(), { sequence: 128 });
  assert.deepEqual(history.undo(), { sequence: 1 });
  assert.equal(history.undo(), undefined);
});
