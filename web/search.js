/**
 * Finding a model while typing: every word must appear in the name, the family or the id. "qwen 14" finds Qwen-14B.
 *
 * @typedef {import('./context.d.ts').CatalogModel} Model
 */

/** @param {string} text */
const simple = (text) =>
  text
    .toLowerCase()
    .replace(/[\s_/-]+/g, ' ')
    .trim();

/**
 * Supported models first, then those whose name begins with the words, then the catalog's order.
 * @param {readonly Model[]} models
 * @param {string} words
 * @returns {Model[]}
 */
export function findModels(models, words) {
  const query = simple(words);
  const wanted = query.split(' ').filter(Boolean);
  return models
    .map((model, order) => ({ model, order, text: simple(`${model.name} ${model.family} ${model.id}`) }))
    .filter(({ text }) => wanted.every((word) => text.includes(word)))
    .map((found) => ({ ...found, rank: rank(found.model, query) }))
    .sort((a, b) => a.rank - b.rank || a.order - b.order)
    .map(({ model }) => model);
}

/**
 * @param {Model} model
 * @param {string} query
 */
function rank(model, query) {
  const starts = simple(model.id).startsWith(query) || simple(model.name).startsWith(query);
  return (model.supported ? 0 : 2) + (starts ? 0 : 1);
}
