/** Puts freshly read entries over those the catalog has, keeping what only the catalog knows: its words. */

/** @typedef {import('./report.mjs').Report} Report */

/** @param {unknown} a @param {unknown} b */
export const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/**
 * Facts carry over, sentences do not: a field named in `words` is written by people in the catalog. An import keeps it,
 * and asks for it where the facts say something and the catalog does not yet.
 * @template {Record<string, any>} T
 * @param {T | undefined} old
 * @param {T} fresh its word fields hold what the facts say, only to be shown to whoever writes ours
 * @param {string[]} words
 * @param {string} place
 * @param {Report} report
 * @returns {T}
 */
export function keepWords(old, fresh, words, place, report) {
  const own = Object.fromEntries(words.map((field) => [field, old?.[field] ?? null]));
  for (const field of words) {
    if (fresh[field] && !own[field]) report.unworded.push(`${place} ${field}: ${fresh[field]}`);
  }
  return { ...fresh, ...own };
}

/**
 * @template {Record<string, any>} T
 * @param {{ kind: string, key: keyof T & string, words: string[], old: T[], fresh: T[] | null, report: Report }} what
 * @returns {T[]} sorted by key
 */
export function mergeList({ kind, key, words, old, fresh, report }) {
  if (fresh === null) return old;
  const merged = new Map(old.map((entry) => [entry[key], entry]));
  const seen = new Set();
  for (const entry of fresh) {
    const place = `${kind} ${entry[key]}`;
    if (seen.has(entry[key])) {
      report.refused.push(`${place}: stands there twice -> remove one; the first was taken`);
      continue;
    }
    seen.add(entry[key]);
    const before = merged.get(entry[key]);
    const after = keepWords(before, entry, words, place, report);
    if (!before) report.added.push(place);
    else if (!same(before, after)) report.changed.push(place);
    merged.set(entry[key], after);
  }
  return [...merged.values()].sort((a, b) => byCodePoint(String(a[key]), String(b[key])));
}

/** The same order on every machine, whatever its language. @param {string} a @param {string} b */
export const byCodePoint = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/**
 * @template T
 * @param {Record<string, T>} record
 * @returns {Record<string, T>}
 */
export const sortedByKey = (record) => Object.fromEntries(Object.entries(record).sort(([a], [b]) => byCodePoint(a, b)));
