/** Accelerators: what a card can do, and which cards a market label can mean. */
import { readRows } from './rows.mjs';

const P2P = { yes: 'yes', no: 'no', 'NVLink bridge only': 'nvlink-bridge', 'unreliable (see notes)': 'unreliable' };
const ECC = { yes: 'yes', no: 'no', optional: 'optional' };
const YES_NO = { yes: true, no: false };
const LICENCE = {
  ok: 'allowed',
  'ok (China)': 'allowed (China)',
  'ok (professional card; datacenter use allowed)': 'allowed (professional card)',
  'GeForce driver licence excludes datacenter deployment; no vGPU; offered by marketplaces and Chinese clouds at their own risk':
    'GeForce driver licence excludes data centres',
  'AWS only': 'AWS only',
  'Google Cloud only': 'Google Cloud only',
};
const BASIS = { torch: 'torch', 'nvidia-smi': 'nvidia-smi', vendor: 'vendor' };
const CONFIDENCE = { spec: 'spec', secondary: 'secondary', derived: 'derived', low: 'low' };

/** Columns of dense rates, by the name we give them. */
const RATES = {
  fp32: 'fp32_tflops',
  tf32: 'tf32_tflops_dense',
  fp16: 'fp16_tensor_tflops_dense',
  bf16: 'bf16_tflops_dense',
  fp8: 'fp8_tflops_dense',
  int8: 'int8_tops_dense',
  fp4: 'fp4_tflops_dense',
};

/** @param {import('./rows.mjs').Row} row */
function readAccelerator(row) {
  const positive = (/** @type {string} */ column) => row.number(column, { above: 0 });
  const rates = Object.entries(RATES)
    .map(([name, column]) => [name, positive(column)])
    .filter(([, rate]) => rate !== null);
  const pcie = { gen: positive('pcie_gen'), gb_per_s: positive('pcie_gb_s') };
  return {
    id: row.required('name'),
    vendor: row.required('vendor'),
    architecture: row.required('architecture'),
    compute_capability: row.text('compute_capability'),
    year: row.number('year', { min: 2010, max: 2100, whole: true }),
    memory_gb: positive('memory_gb_marketed'),
    usable_gib: positive('memory_gib_usable'),
    usable_basis: row.choice('usable_basis', BASIS),
    nvidia_smi_mib: positive('nvidia_smi_mib'),
    memory_type: row.text('memory_type'),
    bandwidth_gb_per_s: positive('bandwidth_gb_s'),
    tflops: Object.fromEntries(rates),
    nvlink_gb_per_s: row.number('nvlink_gb_s', { min: 0 }),
    pcie: pcie.gen === null ? null : pcie,
    p2p: row.choice('p2p', P2P),
    ecc: row.choice('ecc', ECC),
    tdp_w: positive('tdp_w'),
    form: row.text('form'),
    mig: row.choice('mig', YES_NO),
    datacenter_license_note: row.choice('datacenter_license_note', LICENCE),
    offer_names: (row.text('offer_names') ?? '')
      .split(';')
      .map((name) => name.trim())
      .filter(Boolean),
    confidence: row.choice('confidence', CONFIDENCE),
    notes: row.text('notes'),
    inference_only: null, // no column says it; people do
    source: row.required('source'),
  };
}

/** @typedef {ReturnType<typeof readAccelerator>} Accelerator */

/** @param {string} path @param {import('./report.mjs').Report} report */
export const readAccelerators = (path, report) => readRows(path, ['name', 'vendor', 'source'], report, readAccelerator);

/**
 * The accelerators a label can mean, likeliest first. A label names a chip; its forms differ in link and clock, and the
 * machine's link tells them apart: NVLink between all cards is the SXM board, bridged pairs are PCIe cards.
 * @param {{ label: string, count: number, memoryGb: number | null, interconnect: string | null }} offer
 * @param {Accelerator[]} accelerators
 * @returns {string[]}
 */
export function candidates({ label, count, memoryGb, interconnect }, accelerators) {
  const named = accelerators.filter((one) => one.offer_names.includes(label));
  if (named.length < 2) return named.map((one) => one.id);
  const form = { NVLink: 'SXM', 'NVLink-pair': 'PCIe' }[interconnect ?? ''];
  if (form) return named.filter((one) => one.form === form).map((one) => one.id);
  const whole = count >= 1 && memoryGb !== null;
  const fitting = whole ? named.filter((one) => one.memory_gb === memoryGb) : named;
  const likely =
    interconnect === 'PCIe'
      ? [...fitting].sort((a, b) => Number(b.form === 'PCIe') - Number(a.form === 'PCIe'))
      : fitting;
  return likely.map((one) => one.id);
}
