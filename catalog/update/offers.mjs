/** Machines one can rent, and their prices: a list of dated entries that only grows. */

import { candidates } from './accelerators.mjs';
import { byCodePoint, same } from './merge.mjs';
import { Refusal, reporting } from './report.mjs';
import { readRows } from './rows.mjs';
import { citedSource } from './sources.mjs';

const INTERCONNECT = Object.fromEntries(
  ['NVLink', 'NVLink-pair', 'PCIe', 'NeuronLink', 'xGMI', 'ICI', 'none'].map((name) => [name, name]),
);
const CURRENCY = { USD: 'USD', CNY: 'CNY', EUR: 'EUR' };

/** Price columns by the name we give them, and the highest believable price. */
const PRICES = {
  on_demand_per_h: ['price_on_demand', 10_000],
  spot_per_h: ['price_spot', 10_000],
  reserved_1y_per_h: ['price_reserved_1y', 10_000],
  reserved_3y_per_h: ['price_reserved_3y', 10_000],
  monthly: ['price_monthly', 10_000_000],
};

/** @param {import('./rows.mjs').Row} row @param {string} as_of @param {string} source */
function readPrice(row, as_of, source) {
  const amounts = Object.entries(PRICES)
    .map(([name, [column, max]]) => [name, row.number(String(column), { above: 0, max: Number(max) })])
    .filter(([, amount]) => amount !== null);
  if (amounts.length === 0) return null;
  const price = { as_of, source, currency: row.choice('currency', CURRENCY), ...Object.fromEntries(amounts) };
  if (price.currency === null)
    throw new Refusal('currency', 'is empty beside a price', 'name the currency of the price');
  return price;
}

/**
 * @param {import('./rows.mjs').Row} row
 * @param {import('./accelerators.mjs').Accelerator[]} accelerators
 * @param {Record<string, import('./sources.mjs').Source>} sources
 */
function readOffer(row, accelerators, sources) {
  const positive = (/** @type {string} */ column) => row.number(column, { above: 0 });
  const label = row.text('gpu');
  const count = row.number('gpu_count', { min: 0, max: 1024 });
  if (count === null || (count === 0) !== (label === null))
    throw new Refusal(
      'gpu_count',
      'does not agree with the gpu cell',
      'write 0 for a machine without accelerator, else their number',
    );
  const memory_gb = positive('gpu_memory_gib');
  const interconnect = row.choice('gpu_interconnect', INTERCONNECT);
  const source = citedSource(row.required('source'), sources);
  const as_of = row.date('as_of');
  const offer = {
    machine: row.required('instance_type'),
    region: row.required('region'),
    label,
    accelerators: label === null ? [] : candidates({ label, count, memoryGb: memory_gb, interconnect }, accelerators),
    count,
    memory_gb,
    interconnect,
    vcpus: positive('vcpus'),
    ram_gib: positive('ram_gib'),
    local_nvme_gb: row.number('local_nvme_gb', { min: 0 }),
    network_gbps: positive('network_gbps'),
    source,
    as_of,
  };
  return { provider: row.required('provider'), offer, price: readPrice(row, as_of, source) };
}

/** @typedef {ReturnType<typeof readOffer>} OfferRow */
/** @typedef {NonNullable<OfferRow['price']>} Price */
/** @typedef {OfferRow['offer'] & { prices: Price[] }} Offer */

const COLUMNS = [
  'provider',
  'instance_type',
  'region',
  'gpu',
  'gpu_count',
  'currency',
  'as_of',
  'source',
  'price_on_demand',
];

/**
 * @param {string} path
 * @param {{ accelerators: import('./accelerators.mjs').Accelerator[], sources: Record<string, any> }} known
 * @param {import('./report.mjs').Report} report
 */
export const readOffers = (path, { accelerators, sources }, report) =>
  readRows(path, COLUMNS, report, (row) => readOffer(row, accelerators, sources));

/**
 * Adds a price behind those the offer has. The same date and source with other figures is no new price but a
 * contradiction, and is refused: history is never rewritten by an import.
 * @param {Price[]} prices
 * @param {Price} price
 */
export function appendPrice(prices, price) {
  const known = prices.find((one) => one.as_of === price.as_of && one.source === price.source);
  if (known && !same(known, price))
    throw new Refusal(
      'price',
      `differs from the catalog's entry of ${price.as_of} from ${price.source}`,
      'give the row its own date, or correct the catalog by hand',
    );
  return known ? prices : [...prices, price].sort((a, b) => byCodePoint(a.as_of, b.as_of));
}

/** @param {Offer} a @param {Offer} b */
const byMachine = (a, b) => byCodePoint(a.machine, b.machine) || byCodePoint(a.region, b.region);

/**
 * @param {Map<string, Offer[]>} old offers by provider
 * @param {OfferRow[] | null} rows
 * @param {import('./report.mjs').Report} report
 * @returns {Map<string, Offer[]>}
 */
export function mergeOffers(old, rows, report) {
  const merged = new Map(
    [...old].map(([provider, offers]) => [
      provider,
      new Map(offers.map((offer) => [`${offer.machine}/${offer.region}`, offer])),
    ]),
  );
  for (const { provider, offer, price } of rows ?? []) {
    const ofProvider = merged.get(provider) ?? new Map();
    merged.set(provider, ofProvider);
    const key = `${offer.machine}/${offer.region}`;
    const place = `offer ${provider}/${key}`;
    const before = ofProvider.get(key);
    const prices = reporting(report, place, () =>
      price ? appendPrice(before?.prices ?? [], price) : (before?.prices ?? []),
    );
    if (!prices) continue;
    // An older row adds to the history but does not bring back an older shape of the machine.
    const shape = before && before.as_of > offer.as_of ? (({ prices: _, ...rest }) => rest)(before) : offer;
    const after = { ...shape, prices };
    if (!before) report.added.push(place);
    else if (prices.length > before.prices.length) report.changed.push(`${place}: price of ${price?.as_of}`);
    else if (!same(before, after)) report.changed.push(place);
    ofProvider.set(key, after);
  }
  return new Map([...merged].map(([provider, offers]) => [provider, [...offers.values()].sort(byMachine)]));
}
