/**
 * Machine numbers to text, through Intl and by locale. This is all the arithmetic the page does: choosing a unit and
 * a number of digits. One set of formatters per locale, made once: Intl's constructors are slow.
 */

const GIB = 2 ** 30;
const MIB = 2 ** 20;
/** Below this a size is told in MiB: in GiB it would read 0.00. */
const LEAST_GIB = 0.01;
const NUMBER_DIGITS = 2;

/**
 * @typedef {ReturnType<typeof makeFormats>} Formats
 * @typedef {import('../wasm/rigsizer.d.ts').Band} Band
 */

/** @type {Map<string, Formats>} */
const cache = new Map();

/**
 * @param {string} locale
 * @returns {Formats}
 */
export function formatsFor(locale) {
  let formats = cache.get(locale);
  if (!formats) cache.set(locale, (formats = makeFormats(locale)));
  return formats;
}

/** @param {string} locale */
function makeFormats(locale) {
  /** @param {Intl.NumberFormatOptions} options */
  const intl = (options) => new Intl.NumberFormat(locale, options);
  const plain = { integer: intl({ maximumFractionDigits: 0 }), number: intl({ maximumFractionDigits: NUMBER_DIGITS }) };
  const significant = { rate: intl({ maximumSignificantDigits: 4 }), exact: intl({ maximumSignificantDigits: 12 }) };
  const compact = intl({ notation: 'compact', maximumSignificantDigits: 3 });
  const percents = [0, 1].map((digits) => intl({ style: 'percent', maximumFractionDigits: digits }));
  const decimals = [0, 1, 2, 3].map((n) => intl({ minimumFractionDigits: n, maximumFractionDigits: n }));
  /** @param {number} value @param {number} digits */
  const fixed = (value, digits) => decimals[digits].format(value);

  /** @type {Map<string, Intl.NumberFormat>} */
  const moneys = new Map();
  /** @param {number} amount @param {string} currency @param {number} digits */
  function money(amount, currency, digits) {
    const key = currency + digits;
    let format = moneys.get(key);
    if (!format) {
      format = intl({ style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits });
      moneys.set(key, format);
    }
    return format.format(amount);
  }

  /** Digits for gibibytes: two below ten, so that a small adapter does not read 0.0. @param {number} gib */
  const gibDigits = (gib) => (gib !== 0 && Math.abs(gib) < 1 ? 2 : 1);
  /** @param {number} bytes */
  const gibNumber = (bytes) => fixed(bytes / GIB, gibDigits(bytes / GIB));

  const dates = {
    day: new Intl.DateTimeFormat(locale, { dateStyle: locale.startsWith('zh') ? 'short' : 'medium', timeZone: 'UTC' }),
    month: new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'short', timeZone: 'UTC' }),
    year: new Intl.DateTimeFormat(locale, { year: 'numeric', timeZone: 'UTC' }),
  };

  return {
    locale,
    /** @param {number} value */
    integer: (value) => plain.integer.format(value),
    /** @param {number} value */
    number: (value) => plain.number.format(value),
    /** Four digits: an exchange rate, a measured figure. @param {number} value */
    rate: (value) => significant.rate.format(value),
    /** A value of a formula as exactly as it is worth reading. @param {number} value */
    exact: (value) => significant.exact.format(value),
    /** Parameters: 8.03B, 80.3亿. @param {number} value */
    count: (value) => compact.format(value),
    /** @param {number} share of one */
    share: (share) => percents[share < 0.1 ? 1 : 0].format(share),
    /** @param {number} percent */
    percent: (percent) => percents[1].format(percent / 100),
    gibNumber,
    /** @param {number} bytes */
    gib: (bytes) =>
      bytes > 0 && bytes < LEAST_GIB * GIB
        ? `${fixed(bytes / MIB, bytes < MIB ? 3 : 1)} MiB`
        : `${gibNumber(bytes)} GiB`,
    /** A number of gibibytes already. @param {number} gib */
    gibOf: (gib) => `${fixed(gib, gibDigits(gib))} GiB`,
    /** @param {{ low: number, high: number }} band */
    band({ low, high }) {
      const digits = gibDigits(low / GIB);
      return `${fixed(low / GIB, digits)}–${fixed(high / GIB, digits)}`;
    },
    /** Prices below a tenth need a third digit to be told apart. @param {number} amount @param {string} code */
    hourly: (amount, code) => money(amount, code, amount < 0.1 ? 3 : 2),
    /** @param {number} amount @param {string} code */
    monthly: (amount, code) => money(amount, code, amount < 100 ? 2 : 0),
    /** `2025`, `2025-04` and `2025-04-24` each as exactly as they are known. @param {string} iso */
    date(iso) {
      const [year, month, day] = iso.split('-').map(Number);
      if (!Number.isInteger(year)) return iso;
      const time = Date.UTC(year, (month || 1) - 1, day || 1);
      return (day ? dates.day : month ? dates.month : dates.year).format(time);
    },
  };
}

/**
 * The formatters that a text may name.
 * @param {Formats} formats
 * @returns {(name: string, value: unknown) => string}
 */
export function byName(formats) {
  /** @type {Record<string, (value: any) => string>} */
  const named = {
    int: formats.integer,
    gib: formats.gibOf,
    bytes: formats.gib,
    pct: formats.percent,
    share: formats.share,
    count: formats.count,
    date: formats.date,
  };
  return (name, value) => {
    const format = named[name];
    if (!format) throw new RangeError(`a text names the unknown format ${name}`);
    return value === undefined || value === null ? '' : format(value);
  };
}
