/** What every view gets: the reader's words, the engine's answer, and the few things a view may do. Types only. */
import type { CatalogIndex, Failure, OfferRow, PlanAnswer, Shape } from '../wasm/rigsizer.d.ts';
import type { Accuracy } from './accuracy.d.ts';
import type { Formats } from './format.js';
import type { Translator } from './i18n.js';
import type { Figure } from './measured.js';
import type { State, Value } from './state.js';

export type CatalogOffer = CatalogIndex['offers'][number];
export type CatalogModel = CatalogIndex['models'][number] & { why_not_code?: string };

/** One machine: the engine's row with what the catalog says about it. */
export interface Machine {
  row: OfferRow;
  offer: CatalogOffer;
  shape: Shape;
}

/** What is open or how far a list is unrolled; not worth a link. */
export interface Ui {
  shown: number; // rows of the table
  lines: ReadonlySet<string>; // memory lines whose working is open
  groups: ReadonlySet<string>; // groups of the second list that are open
  said: string; // last thing an action told the reader
  accuracy: { open: boolean; figure: string; rows: 'all' | 'high'; row: string }; // what is plotted, and the row read out
}

export interface Actions {
  undo(): void;
  reset(): void;
  copyLink(): void;
  copyMarkdown(): void;
  saveCopy(): void;
}

export interface Context extends Translator {
  fmt: Formats;
  state: State;
  ui: Ui;
  catalog: CatalogIndex;
  /** The last whole answer; while `failure` stands, it belongs to an earlier question. */
  answer: PlanAnswer | null;
  failure: Failure['error'] | null;
  machines: Machine[];
  /** Measured runs beside predictions; unpacked when first asked for. */
  accuracy(): { data: Accuracy; figures: Figure[] };
  today: string;
  canUndo: boolean;
  actions: Actions;
  set(changes: Record<string, Value | undefined>): void;
  setUi(changes: Partial<Ui>): void;
}
