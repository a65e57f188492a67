/**
 * The lists of machines: joining, sorting, filtering and grouping what the engine has judged. Nothing is judged here.
 *
 * @typedef {import('./context.d.ts').Machine} Machine
 * @typedef {import('../wasm/rigsizer.d.ts').PlanAnswer} PlanAnswer
 * @typedef {import('../wasm/rigsizer.d.ts').CatalogIndex} CatalogIndex
 */

/** Verdicts of machines that go into the list of what to rent. */
const RENTABLE = new Set(['fits', 'tight']);

/**
 * @param {PlanAnswer} answer
 * @param {CatalogIndex} catalog
 * @returns {Machine[]}
 */
export function join(answer, catalog) {
  return answer.offers.map((row) => ({ row, offer: catalog.offers[row.offer], shape: answer.shapes[row.shape] }));
}

/** @param {Machine} machine */
export const isRentable = (machine) => RENTABLE.has(machine.row.verdict);

/**
 * What a column is sorted by; `null` goes last in either direction. `rank` is the engine's own order.
 * @type {Record<string, (machine: Machine) => number | string | null>}
 */
export const SORT_KEYS = {
  machine: ({ offer }) => `${offer.provider} ${offer.machine}`,
  accelerators: ({ offer }) => offer.count,
  used: ({ shape }) => (shape.needed_bytes && shape.limit_bytes ? shape.needed_bytes.value / shape.limit_bytes : null),
  price: ({ row }) => row.price_per_h,
  each: ({ row }) => row.price_per_accelerator_h,
  month: ({ row }) => row.price_per_month,
  vcpus: ({ offer }) => offer.vcpus,
  ram: ({ offer }) => offer.ram_gib,
  date: ({ offer }) => offer.as_of,
};

/**
 * @param {Machine[]} machines in the engine's order, which stands among equals
 * @param {string} sort a key of SORT_KEYS, `-` before it for descending; anything else leaves the order
 * @returns {Machine[]}
 */
export function sorted(machines, sort) {
  const descending = sort.startsWith('-');
  const key = SORT_KEYS[descending ? sort.slice(1) : sort];
  if (!key) return machines;
  return machines
    .map((machine) => ({ machine, value: key(machine) }))
    .sort((a, b) => {
      if (a.value === null || b.value === null) return Number(a.value === null) - Number(b.value === null);
      const order = a.value < b.value ? -1 : a.value > b.value ? 1 : 0;
      return descending ? -order : order;
    })
    .map(({ machine }) => machine);
}

/**
 * Every word must appear somewhere in the machine's names.
 * @param {Machine[]} machines
 * @param {string} words
 */
export function matching(machines, words) {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return machines;
  return machines.filter(({ offer, shape }) => {
    const text = `${offer.provider} ${offer.machine} ${offer.region} ${shape.label}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/**
 * @typedef {{ code: string, machines: Machine[], shapes: { index: number, machines: Machine[] }[] }} Group
 */

/**
 * The machines that do not fit, by the first reason the engine gives; the largest group first.
 * @param {Machine[]} machines
 * @returns {Group[]}
 */
export function groupsByReason(machines) {
  const groups = groupBy(
    machines.filter((machine) => !isRentable(machine)),
    reasonOf,
  );
  return [...groups]
    .map(([code, members]) => ({
      code,
      machines: members,
      shapes: [...groupBy(members, ({ row }) => row.shape)].map(([index, same]) => ({ index, machines: same })),
    }))
    .sort((a, b) => b.machines.length - a.machines.length);
}

/** @param {Machine} machine */
function reasonOf({ row, shape }) {
  if (row.verdict === 'over_budget' || row.verdict === 'no_price') return row.verdict;
  return shape.reasons[0]?.code ?? row.verdict;
}

/**
 * @template T, K
 * @param {T[]} items
 * @param {(item: T) => K} key
 * @returns {Map<K, T[]>}
 */
function groupBy(items, key) {
  /** @type {Map<K, T[]>} */
  const groups = new Map();
  for (const item of items) {
    const name = key(item);
    const group = groups.get(name);
    if (group) group.push(item);
    else groups.set(name, [item]);
  }
  return groups;
}
