/** Links between accelerators, data sets and vision networks: plain tables. */

import { Refusal } from './report.mjs';
import { readRows } from './rows.mjs';

/** @typedef {import('./rows.mjs').Row} Row */

/** @param {Row} row */
function readInterconnect(row) {
  const positive = (/** @type {string} */ column) => row.number(column, { above: 0 });
  return {
    system: row.required('system'),
    kind: row.required('kind'),
    per_gpu_gb_per_s: positive('per_gpu_bandwidth_gb_s'),
    measured_allreduce_busbw_gb_per_s: positive('measured_allreduce_busbw_gb_s'),
    planning_busbw_gb_per_s: positive('planning_busbw_gb_s'),
    gpus_per_node: row.number('gpus_per_node', { min: 1, whole: true }),
    nodes: row.number('nodes', { min: 1, whole: true }),
    node_network_gbps: positive('node_network_gbps'),
    message: row.text('message'),
    source: row.required('source'),
    notes: row.text('notes'),
  };
}

/** @param {Row} row */
function readDataset(row) {
  const whole = (/** @type {string} */ column) => row.number(column, { min: 1, whole: true });
  return {
    name: row.required('name'),
    kind: row.required('kind'),
    samples: whole('samples'),
    tokens: whole('tokens'),
    download_bytes: whole('bytes'),
    unpacked_bytes: whole('bytes_unpacked'),
    sample_kb: row.number('avg_sample_kb', { above: 0 }),
    files: whole('file_count'),
    confidence: row.choice('confidence', { verified: 'verified', known: 'known' }),
    source: row.required('source'),
    notes: row.text('notes'),
  };
}

/**
 * How citations of vision tables begin, and the source key each is.
 * @type {Record<string, string>}
 */
const VISION_SOURCES = {
  'github.com/huggingface/pytorch-image-models: results/benchmark-infer-amp-nchw-pt291': 'timm-4090',
  'github.com/huggingface/pytorch-image-models: results/benchmark-infer-amp-nchw-pt113': 'timm-3090',
  'github.com/quic/ai-hub-models': 'ai-hub-models',
  'torchvision weight tables (recalled': 'torchvision-recalled',
  'github.com/pytorch/vision: weight metadata (parameters read': 'torchvision-5773',
  'github.com/pytorch/vision: weight metadata as listed': 'torchvision-fcn',
  'github.com/ultralytics/ultralytics: docs/en/models/yolo11': 'ultralytics-yolo11',
  'github.com/ultralytics/ultralytics: docs/en/models/yolov8': 'ultralytics-yolov8',
  'github.com/ultralytics/yolov5': 'yolov5',
  'github.com/keras-team/keras-hub': 'keras-hub',
  'computed from layer shapes': 'computed',
};

/** @param {string} citation */
function visionSource(citation) {
  const start = Object.keys(VISION_SOURCES).find((text) => citation.startsWith(text));
  if (!start)
    throw new Refusal(
      'source',
      `"${citation}" is not a known source`,
      'add its beginning and key to VISION_SOURCES, and the key to sources.json',
    );
  return VISION_SOURCES[start];
}

/** @param {Row} row */
function readVision(row) {
  const positive = (/** @type {string} */ column) => row.number(column, { above: 0 });
  const input = row.required('input_size');
  if (!/^\d+(x\d+)?$/.test(input))
    throw new Refusal('input_size', `"${input}" is not a size`, 'write 224 or 800x1333, in pixels');
  const name = row.required('name');
  const known = {
    parameters_m: positive('params_m'),
    gmacs: positive('gmacs'),
    activations_m: positive('activations_m'),
  };
  return { id: `${name}@${input}`, name, input_px: input, ...known, source: visionSource(row.required('source')) };
}

/** @param {string} path @param {import('./report.mjs').Report} report */
export const readInterconnects = (path, report) =>
  readRows(path, ['system', 'kind', 'source'], report, readInterconnect);
/** @param {string} path @param {import('./report.mjs').Report} report */
export const readDatasets = (path, report) => readRows(path, ['name', 'kind', 'source'], report, readDataset);
/** @param {string} path @param {import('./report.mjs').Report} report */
export const readVisionNetworks = (path, report) =>
  readRows(path, ['name', 'input_size', 'source'], report, readVision);
