/** What `accuracy.mjs` puts into the page for "How accurate is this?". Errors are in percent of what was measured. */
import type { ErrorSummary } from '../wasm/rigsizer.d.ts';

/** Error of the constants' own fit, see `fit` of catalog/calibration.json. */
export interface FitErrors {
  n: number;
  median_abs_pct: number;
  p90_abs_pct: number;
  bias_pct: number;
}

/** Predicted figures of one file, column by column; `kind` and `source` are places in the lists of those names. */
export interface PredictedColumns {
  metric: string[];
  kind: string[];
  confidence: string[];
  id: string[];
  source: number[];
  measured: number[];
  predicted: number[];
  low: number[];
  high: number[];
}

export interface MeasuredFile {
  name: 'train' | 'infer';
  runs: number; // rows of the file
  sources: number;
  summary: { all: Record<string, ErrorSummary>; high: Record<string, ErrorSummary> }; // metrics with a prediction
  unpredicted: { metric: string; figures: number }[]; // metrics without any
  rows: PredictedColumns;
}

export interface Source {
  title: string;
  url: string | null;
}

export interface Accuracy {
  files: MeasuredFile[];
  skipped: { reason: string; ours: boolean; figures: number }[]; // of metrics with a prediction, the commonest first
  sources: Source[];
  fit: { confidence: string; fitted_on: FitErrors; held_out: Record<string, FitErrors> };
}
