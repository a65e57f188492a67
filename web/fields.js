/**
 * Every input of the calculator, once: the page's controls, the keys of the link, the attributes of `<rig-sizer>` and
 * the flags of the command line all come from this table. `path` is where the value goes in the engine's request;
 * a field without a path is about the view only. A field left empty is left out of the request, and the engine fills in
 * (and reports) its own default: no default that changes an answer lives here, but the first question on opening.
 *
 * @typedef {'text' | 'choice' | 'integer' | 'decimal' | 'list' | 'flag'} Kind
 * @typedef {object} Field
 * @property {string} key       name in the link, the attributes and the command line
 * @property {Kind} kind
 * @property {string[]} [path]  place in the request
 * @property {string[]} [options]
 * @property {Record<string, string[]>} [groups] the same options under headings, keys under `formats.`
 * @property {boolean} [open]   the engine reads further spellings, so others than the options are let through
 * @property {string[]} [tasks] tasks it belongs to; absent = all
 * @property {string} [initial] value when nothing is said
 * @property {number} [min]
 * @property {number} [max]
 * @property {string} [unit]    key under `unit.` in the strings
 * @property {number[]} [suggest] values offered while typing
 * @property {boolean} [stated] written into the link even at its initial value
 */

export const TASKS = ['serve', 'full', 'lora', 'qlora'];
const TRAINING = ['full', 'lora', 'qlora'];
const ADAPTERS = ['lora', 'qlora'];

/** Of all that the engine reads, what people serve most. */
const WEIGHT_FORMATS = {
  bits16: ['bf16', 'fp16', 'fp32'],
  bits8: ['fp8', 'int8', 'gptq8'],
  bits4: ['int4', 'gptq', 'nf4', 'nf4-dq', 'mxfp4', 'nvfp4'],
  gguf: ['Q8_0', 'Q6_K', 'Q5_K_M', 'Q4_K_M', 'IQ4_XS', 'Q3_K_M', 'Q2_K'].map((type) => `gguf:${type}`),
};

/** @type {Field[]} */
export const FIELDS = [
  { key: 'model', kind: 'text', path: ['model'], initial: 'llama-3-8b', stated: true },
  { key: 'from', kind: 'choice', options: ['list', 'config'], initial: 'list' },
  { key: 'config', kind: 'text' },
  { key: 'task', kind: 'choice', path: ['task'], options: TASKS, initial: 'serve', stated: true },

  {
    key: 'engine',
    kind: 'choice',
    path: ['serve', 'engine'],
    options: ['vllm', 'sglang', 'tensorrt-llm', 'tgi', 'lmdeploy', 'llama.cpp', 'ollama', 'transformers', 'exllamav2'],
    tasks: ['serve'],
  },
  { key: 'engine-version', kind: 'text', path: ['serve', 'engine_version'], tasks: ['serve'] },
  {
    key: 'memory-fraction',
    kind: 'decimal',
    path: ['serve', 'memory_fraction'],
    tasks: ['serve'],
    min: 0.01,
    max: 1,
    suggest: [0.8, 0.9, 0.95],
  },
  {
    key: 'max-batched',
    kind: 'integer',
    path: ['serve', 'max_batched_tokens'],
    tasks: ['serve'],
    min: 1,
    max: 10_000_000,
    unit: 'tokens',
    suggest: [2048, 8192, 16384],
  },
  {
    key: 'max-sequences',
    kind: 'integer',
    path: ['serve', 'max_sequences'],
    tasks: ['serve'],
    min: 1,
    max: 100_000,
    unit: 'sequences',
    suggest: [16, 64, 256, 1024],
  },
  {
    key: 'weights',
    kind: 'choice',
    path: ['serve', 'weight_format'],
    options: Object.values(WEIGHT_FORMATS).flat(),
    groups: WEIGHT_FORMATS,
    open: true,
    tasks: ['serve'],
  },
  {
    key: 'context',
    kind: 'integer',
    path: ['serve', 'context_tokens'],
    tasks: ['serve'],
    min: 1,
    max: 10_000_000,
    unit: 'tokens',
    suggest: [2048, 4096, 8192, 16384, 32768, 65536, 131072],
  },
  {
    key: 'concurrency',
    kind: 'integer',
    path: ['serve', 'concurrency'],
    tasks: ['serve'],
    min: 1,
    max: 100_000,
    unit: 'sequences',
    suggest: [1, 4, 8, 16, 32, 64, 128],
  },
  {
    key: 'kv',
    kind: 'choice',
    path: ['serve', 'kv_format'],
    options: ['bf16', 'fp16', 'fp8', 'int8', 'q8_0', 'q4_0'],
    tasks: ['serve'],
  },

  {
    key: 'sequence',
    kind: 'integer',
    path: ['train', 'sequence_tokens'],
    tasks: TRAINING,
    min: 1,
    max: 10_000_000,
    unit: 'tokens',
    suggest: [512, 1024, 2048, 4096, 8192, 16384, 32768],
  },
  {
    key: 'batch',
    kind: 'integer',
    path: ['train', 'micro_batch'],
    tasks: TRAINING,
    min: 1,
    max: 100_000,
    unit: 'sequences',
    suggest: [1, 2, 4, 8, 16, 32],
  },
  {
    key: 'rank',
    kind: 'integer',
    path: ['train', 'lora_rank'],
    tasks: ADAPTERS,
    min: 1,
    max: 4096,
    unit: 'rank',
    suggest: [4, 8, 16, 32, 64, 128, 256],
  },
  {
    key: 'targets',
    kind: 'choice',
    path: ['train', 'lora_targets'],
    options: ['attention', 'all_linear'],
    tasks: ADAPTERS,
  },
  {
    key: 'precision',
    kind: 'choice',
    path: ['train', 'precision'],
    options: ['bf16_mixed', 'bf16_pure', 'fp16_mixed', 'fp32'],
    tasks: TRAINING,
  },
  {
    key: 'optimizer',
    kind: 'choice',
    path: ['train', 'optimizer'],
    options: ['adamw', 'adamw_8bit', 'adafactor', 'lion', 'sgd_momentum'],
    tasks: TRAINING,
  },
  {
    key: 'recompute',
    kind: 'choice',
    path: ['train', 'recompute'],
    options: ['none', 'selective', 'full'],
    tasks: TRAINING,
  },
  {
    key: 'accumulation',
    kind: 'integer',
    path: ['train', 'accumulation_steps'],
    tasks: TRAINING,
    min: 1,
    max: 100_000,
    unit: 'steps',
    suggest: [1, 2, 4, 8, 16, 32],
  },
  { key: 'loss', kind: 'choice', path: ['train', 'loss'], options: ['plain', 'fused'], tasks: TRAINING },
  { key: 'sharding', kind: 'choice', path: ['train', 'sharding'], options: ['auto', 'ddp', 'full'], tasks: TRAINING },

  {
    key: 'kinds',
    kind: 'list',
    path: ['filter', 'provider_kinds'],
    options: ['public-cloud', 'cn-cloud', 'ai-cloud', 'marketplace'],
  },
  { key: 'providers', kind: 'list', path: ['filter', 'providers'] },
  { key: 'vendors', kind: 'list', path: ['filter', 'vendors'] },
  { key: 'min-count', kind: 'integer', path: ['filter', 'min_count'], min: 1, max: 16, unit: 'accelerators' },
  { key: 'max-count', kind: 'integer', path: ['filter', 'max_count'], min: 1, max: 16, unit: 'accelerators' },
  { key: 'whole', kind: 'flag', path: ['filter', 'whole_accelerators_only'] },
  { key: 'max-price', kind: 'decimal', path: ['filter', 'max_price_per_h'], min: 0 },
  {
    key: 'term',
    kind: 'choice',
    path: ['term'],
    options: ['on_demand', 'spot', 'monthly', 'reserved_1y', 'reserved_3y'],
    initial: 'on_demand',
  },
  { key: 'currency', kind: 'choice', path: ['currency'], options: ['USD', 'CNY', 'EUR'], initial: 'USD' },
  { key: 'rate-cny', kind: 'decimal', path: ['exchange_rates', 'CNY'], min: 0 },
  { key: 'rate-eur', kind: 'decimal', path: ['exchange_rates', 'EUR'], min: 0 },
  { key: 'select', kind: 'text', path: ['select'] },

  { key: 'sort', kind: 'text', initial: 'rank' },
  { key: 'find', kind: 'text' },
  { key: 'show', kind: 'choice', options: ['all', 'fits', 'tight'], initial: 'all' },
  { key: 'lang', kind: 'choice', options: ['en', 'zh-CN'], initial: 'en' },
];

const BY_KEY = new Map(FIELDS.map((field) => [field.key, field]));

/** @param {string} key */
export function fieldOf(key) {
  const field = BY_KEY.get(key);
  if (!field) throw new RangeError(`no field named ${key}`);
  return field;
}

/** @param {string} key */
export const hasField = (key) => BY_KEY.has(key);

/**
 * The field an error of the engine points to: the longest path that the JSON pointer starts with.
 * @param {string} pointer such as `/serve/context_tokens`
 * @returns {Field | undefined}
 */
export function fieldAt(pointer) {
  const parts = pointer.split('/').filter(Boolean);
  return FIELDS.filter((field) => field.path?.every((part, index) => part === parts[index])).sort(
    (a, b) => (b.path?.length ?? 0) - (a.path?.length ?? 0),
  )[0];
}
