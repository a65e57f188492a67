/**
 * Rigsizer's engine as JavaScript sees it: one class, JSON text in and out.
 *
 * Every call returns JSON text. A failure is a value: `{"error": {...}}` (see {@link Failure}); nothing is thrown
 * across the boundary, no number is ever NaN or infinite, and the engine stays usable after any input.
 * Bytes are whole bytes, `_gib` is 2^30 bytes, `_gb` is 10^9 bytes, prices are per machine unless they say otherwise.
 */

/**
 * What the Emscripten factory gives; use {@link createEngine} instead. JSON text as below, but that `plan` writes
 * `offers` as `{"columns": [...], "rows": [[...], ...]}`, as `offers` does too.
 */
export interface EngineHandle {
  plan(request: string): string;
  offers(request: string): string;
  estimate(request: string): string;
  describe(request: string): string;
  validate(request: string): string; // not in the page's module
  catalog(): string;
  delete(): void;
}

/** Typed face over {@link EngineHandle}: objects in and out, the same values. */
export interface RigsizerEngine {
  plan(request: PlanRequest): PlanAnswer | Failure;
  /** Prices whatever the job. */
  offers(request: OffersRequest): OffersAnswer | Failure;
  estimate(request: EstimateRequest): EstimateAnswer | Failure;
  describe(request: DescribeRequest): ModelDescription | Failure;
  /** Measured runs beside what this engine predicts for them. */
  validate(request: ValidationRequest): ValidationAnswer | Failure;
  /** What the engine was built over: models, providers, accelerators, offers with their prices, sources and dates. */
  catalog(): CatalogIndex;
  delete(): void;
}

/** Instantiates the engine from the bytes of `rigsizer.wasm` and the catalog bundle's text. */
export function createEngine(parts: { wasmBinary: Uint8Array; catalog: string }): Promise<RigsizerEngine>;

/** `code` is stable, `path` points into the request (JSON pointer), `hint` says what to do; English text. */
export interface Failure {
  error: { code: string; path: string; message: string; hint: string; values?: Record<string, number | string> };
}

export type Task = 'serve' | 'full' | 'lora' | 'qlora';
/**
 * How weights are stored. `int8`: one scale an output (bitsandbytes, torchao, TensorRT-LLM, w8a8); `int4`: AWQ in groups
 * of 128; `gptq`, `gptq8`: GPTQ in groups of 128; other groups and act-order as `gptq4:g32-act`, `awq4:g64`, `w4a16:g32`;
 * `gguf:` and any llama.cpp file type, `gguf:Q4_K_M`, after it `:imatrix` for files made with an importance matrix and
 * `:untied` for those that hold a tied table twice; `exl2:4.0bpw`. An unknown name is refused with the list of all.
 */
export type WeightFormat =
  | 'fp32' | 'bf16' | 'fp16'
  | 'fp8' | 'fp8:tensor' | 'int8' | 'bnb-int8' | 'gptq8'
  | 'int4' | 'awq' | 'gptq' | 'w4a16' | 'nf4' | 'nf4-dq' | 'mxfp4' | 'nvfp4'
  | `gptq${number}:${string}` | `awq4:${string}` | `w4a16:${string}`
  | `gguf:${string}` | `exl2:${number}bpw`;
/** Blocked formats are llama.cpp's, 32 values and a scale. */
export type ServingEngine =
  | 'vllm'
  | 'sglang'
  | 'tensorrt-llm'
  | 'tgi'
  | 'lmdeploy'
  | 'llama.cpp'
  | 'ollama'
  | 'transformers'
  | 'exllamav2';
export type KvFormat = 'bf16' | 'fp16' | 'fp8' | 'int8' | 'f32' | 'q8_0' | 'q5_1' | 'q5_0' | 'q4_1' | 'q4_0' | 'iq4_nl';
/** `bf16_mixed`/`fp16_mixed`: 16-bit compute over fp32 master weights; `bf16_pure`: weights, gradients and states in bf16. */
export type Precision = 'bf16_mixed' | 'bf16_pure' | 'fp16_mixed' | 'fp32';
export type Optimizer = 'adamw' | 'adamw_8bit' | 'adafactor' | 'lion' | 'sgd_momentum';
export type Recompute = 'none' | 'selective' | 'full';
/** `plain`: whole logits in 16 and 32 bits; `fused`: the loss never materialises them. */
export type Loss = 'plain' | 'fused';
export type Sharding = 'auto' | 'ddp' | 'full';
export type LoraTargets = 'attention' | 'all_linear';
export type Currency = 'USD' | 'CNY' | 'EUR';
export type Term = 'on_demand' | 'spot' | 'monthly' | 'reserved_1y' | 'reserved_3y';
export type ProviderKind = 'public-cloud' | 'cn-cloud' | 'ai-cloud' | 'marketplace';

/** A catalog id, a parsed Hugging Face config.json, or its text (so that truncated text gets the engine's own message). */
export type ModelRef = string | { config: object } | { config_text: string };

/** `serve` goes with the task "serve", `train` with the others: settings that would be ignored are refused. */
export interface Workload {
  version?: 1;
  model: ModelRef;
  task: Task;
  serve?: {
    engine?: ServingEngine; // default: vllm; llama.cpp for GGUF, exllamav2 for EXL2, transformers for what is no decoder
    engine_version?: string; // "0.8.5", for llama.cpp a date "2025-05"; default: the newest
    memory_fraction?: number; // in the engine's own meaning; default: the engine's
    max_batched_tokens?: number; // tokens processed at once; default: the engine's, by card
    max_sequences?: number; // sequences it profiles its sampler with and runs at once; default: the engine's, by card
    weight_format?: WeightFormat; // default: bf16, or the format the model is published in
    kv_format?: KvFormat; // default: bf16
    context_tokens?: number; // default: 8192, or the model's own maximum when that is shorter
    concurrency?: number; // sequences held at once, each of context_tokens; default 1
  };
  train?: {
    precision?: Precision; // default: bf16_mixed for full, bf16_pure base with fp32 adapters for LoRA and QLoRA
    optimizer?: Optimizer; // default: adamw
    micro_batch?: number; // sequences per accelerator and step; default 1
    sequence_tokens?: number; // default 2048
    recompute?: Recompute; // default: full
    loss?: Loss; // default: plain
    sharding?: Sharding; // default: auto = DDP where a whole copy fits, else full sharding
    lora_rank?: number; // default 16
    lora_targets?: LoraTargets; // default all_linear
  };
}

export interface PlanRequest extends Workload {
  filter?: {
    /** Provider names as in the catalog; absent or empty = all. */
    providers?: string[];
    provider_kinds?: ProviderKind[];
    vendors?: string[];
    /** Accelerators in one machine; default 1 to 16. */
    min_count?: number;
    max_count?: number;
    /** Leave out slices and vGPUs; default false (they are shown with a warning). */
    whole_accelerators_only?: boolean;
    max_price_per_h?: number; // in `currency`
  };
  term?: Term; // which price ranks and fills price_per_h; default on_demand
  currency?: Currency; // default USD
  /** Units of a currency for one USD; overrides the catalog's rate. */
  exchange_rates?: Partial<Record<Currency, number>>;
  /** ISO date of the reader, for the age of prices; absent = ages are not judged. */
  today?: string;
  /** Offer whose memory is wanted line by line; default: the cheapest that fits, else the one with the least shortfall. */
  select?: string;
}

/** As in {@link PlanRequest}, without a workload. */
export type OffersRequest = Pick<PlanRequest, 'version' | 'filter' | 'term' | 'currency' | 'exchange_rates' | 'today'>;

export interface OffersAnswer {
  engine: { version: string; catalog_date: string };
  /** Cheapest first; the verdict is `fits` where there is a price within budget, else `no_price` or `over_budget`. */
  offers: OfferRow[];
  filtered_out: number;
  term: Term;
  currency: Currency;
  exchange_rates: { from: string; to: string; rate: number; date: string; source: string }[];
  warnings: Warning[];
}

export interface EstimateRequest extends Workload {
  accelerator: string; // catalog id
  count?: number; // in one machine; default 1
}

export interface DescribeRequest {
  model: ModelRef;
  contexts?: number[]; // tokens at which the KV cache is listed; default 1, 4096, 8192, 32768, 131072 up to the model's maximum
}

/** A CSV file of measured runs, cell by cell; the columns are those of tests/measured/README.md. An empty text: not stated. */
export interface ValidationRequest {
  columns: string[];
  rows: string[][];
}

export interface ValidationAnswer {
  /** One for each measured figure of each row. */
  rows: Comparison[];
  /** By metric, over all rows. */
  summary: Record<string, ErrorSummary>;
  by_confidence: Record<string, Record<string, ErrorSummary>>;
  /** By kind of estimate, each with a band of its own. */
  by_kind: Record<string, Record<string, ErrorSummary>>;
  /** Cells that should hold a number and do not; they are read as not stated. */
  odd_cells: { id: string; column: string; text: string }[];
  /** Names of columns that no prediction knows. */
  ignored_columns: string[];
}

/** Without a prediction, `predicted`, `low`, `high` and `error_pct` are null and `skipped` says why. */
export interface Comparison {
  id: string;
  source: string;
  confidence: string;
  kind: string;
  metric: string; // "memory_gib", "weights_gib", ... with the unit in the name
  measured: number;
  predicted: number | null;
  low: number | null;
  high: number | null;
  error_pct: number | null;
  skipped?: string;
  /** True where the reason lies with this engine and not with the row. */
  skipped_ours?: boolean;
}

/** Errors in percent of what was measured; null where nothing was predicted. */
export interface ErrorSummary {
  n: number;
  skipped: number;
  skipped_ours: number;
  median_abs_pct: number | null;
  mean_abs_pct: number | null;
  p90_abs_pct: number | null;
  bias_pct: number | null;
  in_band_pct: number | null;
  median_width_pct: number | null;
}

export type Verdict = 'fits' | 'tight' | 'short' | 'unsuitable' | 'unknown';

export interface Band {
  value: number;
  low: number;
  high: number;
}

/** A named input of a formula, with its unit and, for a fact or constant, where it comes from. */
export interface Input {
  symbol: string;
  value: number;
  unit: string;
  source?: string;
}

/**
 * One part of the memory of one accelerator. Evaluating `formula` with `inputs` gives `bytes` (a test does so).
 * Formulas use + - * / ( ) ceil() max() min() and the symbols of `inputs`.
 */
export interface MemoryLine {
  id:
    | 'weights'
    | 'adapters'
    | 'gradients'
    | 'optimizer'
    | 'activations'
    | 'logits'
    | 'kv_cache'
    | 'state'
    | 'temporary'
    | 'allocator'
    | 'overhead';
  bytes: number;
  low: number;
  high: number;
  formula: string;
  inputs: Input[];
  source: string;
}

export interface Layout {
  accelerators: number;
  tensor_parallel: number;
  data_parallel: number;
  sharding: 'none' | 'ddp' | 'full';
}

export interface Reason {
  code: string;
  values: Record<string, number | string>;
}
export interface Warning {
  code: string;
  severity: 'info' | 'warn' | 'serious';
  values: Record<string, number | string>;
}

/** Distinct hardware: offers with the same accelerator, count, memory and link share one and are computed once. */
export interface Shape {
  accelerator: string; // catalog id; for an offer that names several forms, the first, see `candidates`
  candidates: string[];
  label: string; // as the market names it
  vendor: string;
  count: number; // below 1: a slice
  interconnect: string;
  usable_bytes: number; // of one accelerator, what programs can really allocate
  limit_bytes: number | null; // the most a job may take of it: a serving engine keeps within its memory fraction
  usable_is_measured: boolean;
  verdict: Verdict;
  layout: Layout | null;
  needed_bytes: Band | null; // of one accelerator
  reasons: Reason[]; // why not, or why only just; empty when it fits
  notes: Warning[]; // true of this hardware whatever the price (no bf16, slice, no NVLink, ...)
}

export interface OfferRow {
  offer: number; // index into CatalogIndex.offers
  id: string; // "provider/machine/region"
  shape: number; // index into PlanAnswer.shapes
  verdict: Verdict | 'over_budget' | 'no_price';
  price_per_h: number | null; // of the machine, in the request's currency and term
  price_per_accelerator_h: number | null;
  price_per_month: number | null; // 730 h, or the monthly term's own price
  price_age_days: number | null; // null without `today` or where the date is only a year
}

export interface ModelSummary {
  id: string | null;
  name: string;
  architecture: string; // model_type
  parameters: number;
  active_parameters: number;
  layers: number;
  hidden: number;
  kv_bytes_per_token_16bit: number;
  max_context_tokens: number | null;
  source: string;
}

/** What an engine makes of the machine. Null where the engine reserves no pool: it takes what it needs. Bytes are of one accelerator. */
export interface ServingCapacity {
  engine: ServingEngine;
  memory_fraction: number | null;
  max_batched_tokens: number | null;
  max_sequences: number | null;
  needed_bytes: number; // by the asked sequences alone
  reserved_bytes: number; // held once started, by design
  pool_bytes: number | null;
  cached_tokens: number | null; // that the pool of one replica holds
  longest_context_tokens: number; // of each of the asked sequences
  highest_concurrency: number; // sequences of the asked context, over all replicas
  least_memory_fraction: number | null; // at which the asked sequences fit; null also where none is enough
}

export interface MemoryEstimate {
  label: string;
  layout: Layout;
  /** When the lines hold: while serving, or at the peak of a training step: at the loss, while a layer is recomputed, at the end of the backward pass, at the optimizer step. */
  moment: 'serving' | 'loss' | 'backward' | 'end' | 'step';
  lines: MemoryLine[];
  total: Band;
  usable_bytes: number;
  /** The most the lines may sum up to: the card, or what a serving engine keeps within. */
  limit_bytes: number;
  serving: ServingCapacity | null; // null for training
  verdict: Verdict;
  reasons: Reason[];
}

export interface PlanAnswer {
  engine: { version: string; catalog_date: string };
  request: Workload; // with every default filled in
  assumed: { path: string; value: string | number; why: string }[]; // the defaults that were filled in; `why` is a code
  model: ModelSummary;
  counts: {
    offers: number;
    fits: number;
    tight: number;
    short: number;
    unsuitable: number;
    unknown: number;
    over_budget: number;
    no_price: number;
    filtered_out: number;
  };
  picks: { pick: 'cheapest' | 'cheapest_roomy'; offer: string }[];
  shapes: Shape[];
  offers: OfferRow[]; // fits by price, then tight by price, then the rest by what they lack
  selected: (MemoryEstimate & { offer: string }) | null;
  term: Term;
  currency: Currency;
  exchange_rates: { from: string; to: string; rate: number; date: string; source: string }[]; // source "request": the caller's own
  warnings: Warning[];
}

export interface EstimateAnswer {
  engine: { version: string; catalog_date: string };
  request: Workload;
  assumed: { path: string; value: string | number; why: string }[];
  model: ModelSummary;
  estimate: MemoryEstimate;
  shape: Shape;
  warnings: Warning[];
}

export interface ModelDescription {
  model: ModelSummary;
  parts: { part: string; parameters: number }[];
  embedding_parameters: number;
  extra_parts: { part: string; parameters: number }[]; // beside the total: multi-token-prediction layers
  kv_bytes_per_token_16bit: number; // layers that keep every token
  kv_windowed_16bit: { bytes_per_token: number; window: number }[];
  state_bytes_per_sequence: number;
  kv_cache: { context_tokens: number; bytes: number; formula: string; inputs: Input[] }[];
  flops_per_token_forward: number; // at an empty context, multiply-add = 2
  notes: Warning[];
}

export interface CatalogIndex {
  date: string;
  exchange_rates: { from: string; to: string; rate: number; date: string; source: string }[];
  sources: Record<string, { title: string; url?: string; date: string; license: string; note?: string }> /* date "" where a source has none */;
  models: {
    id: string;
    name: string;
    family: string;
    parameters: number | null;
    active_parameters: number | null;
    modality: string;
    released: string;
    license: string;
    supported: boolean;
    why_not?: string;
  }[];
  providers: {
    name: string;
    kind: ProviderKind;
    website: string | null;
    billing: string | null;
    strengths: string | null;
    weaknesses: string | null;
    residency: string | null;
    source: string;
    as_of: string;
  }[];
  accelerators: {
    id: string;
    vendor: string;
    architecture: string;
    year: number;
    memory_gb: number | null;
    usable_gib: number | null;
    bf16: boolean;
    fp8: boolean;
    fp4: boolean;
    nvlink: boolean;
    source: string;
    notes: string | null;
  }[];
  offers: {
    id: string;
    provider: string;
    machine: string;
    region: string;
    label: string | null; accelerators: string[];
    count: number;
    memory_gb: number | null;
    interconnect: string;
    vcpus: number | null;
    ram_gib: number | null;
    local_nvme_gb: number | null;
    network_gbps: number | null;
    currency: string | null;
    on_demand: number | null;
    spot: number | null;
    monthly: number | null;
    reserved_1y: number | null;
    reserved_3y: number | null;
    as_of: string;
    source: string;
  }[];
}
