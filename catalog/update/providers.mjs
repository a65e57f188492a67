/** Who rents machines out, on which terms. */

import { readRows } from './rows.mjs';
import { citedSourceByFact } from './sources.mjs';

const KIND = Object.fromEntries(['public-cloud', 'cn-cloud', 'ai-cloud', 'marketplace'].map((kind) => [kind, kind]));
const GRANULARITY = Object.fromEntries(['second', 'minute', 'hour'].map((unit) => [unit, unit]));

/** Written in the catalog's own words. */
export const PROVIDER_WORDS = ['reserved_options', 'regions_note', 'residency', 'strengths', 'weaknesses'];

/** @param {import('./rows.mjs').Row} row @param {Record<string, any>} sources */
function readProvider(row, sources) {
  const spot = {
    name: row.text('spot_name'),
    typical_discount_pct: row.number('spot_typical_discount_pct', { above: 0, max: 99 }),
    interruption_notice_s: row.number('spot_interruption_notice_s', { min: 0, max: 86_400 }),
  };
  return {
    name: row.required('provider'),
    kind: row.choice('kind', KIND),
    website: row.text('website'),
    billing_granularity: row.choice('billing_granularity', GRANULARITY),
    minimum_billing: row.text('min_billing'),
    spot: Object.values(spot).every((value) => value === null) ? null : spot,
    reserved_options: row.text('reserved_options'),
    egress_usd_per_gb: row.number('egress_usd_gb', { min: 0, max: 10 }),
    block_storage_usd_per_gb_month: row.number('block_storage_usd_gb_month', { min: 0, max: 10 }),
    object_storage_usd_per_gb_month: row.number('object_storage_usd_gb_month', { min: 0, max: 10 }),
    sla_pct: row.number('sla_pct', { min: 0, max: 100 }),
    regions_note: row.text('regions_note'),
    residency: row.text('data_residency_note'),
    strengths: row.text('strengths'),
    weaknesses: row.text('weaknesses'),
    source: citedSourceByFact(row.required('source'), sources),
    as_of: row.date('as_of'),
  };
}

/** @param {string} path @param {Record<string, any>} sources @param {import('./report.mjs').Report} report */
export const readProviders = (path, sources, report) =>
  readRows(path, ['provider', 'kind', 'source', 'as_of'], report, (row) => readProvider(row, sources));
