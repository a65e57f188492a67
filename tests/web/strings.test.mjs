/** The texts of both languages: equal keys, equal placeholders, none missing, none unused. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { FIELDS } from '../../web/fields.js';
import { formatsFor } from '../../web/format.js';
import { split, translator } from '../../web/i18n.js';
import { SCENARIOS, SHORTCUTS } from '../../web/presets.js';

/** @typedef {import('../../web/i18n.js').Strings} Strings */

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
/** @type {Record<string, Strings>} */
const STRINGS = Object.fromEntries(
  ['en', 'zh-CN'].map((lang) => [lang, JSON.parse(readFileSync(`${ROOT}web/strings/${lang}.json`, 'utf8'))]),
);
const KEYS = Object.keys(STRINGS.en);

/** @param {import('../../web/i18n.js').Text} text */
const templates = (text) => (typeof text === 'string' ? [text] : Object.values(text));

/** Sources that show texts. */
const SOURCES = ['web', 'web/views', 'web/elements', 'wasm/cli']
  .flatMap((folder) => readdirSync(ROOT + folder).map((name) => `${ROOT}${folder}/${name}`))
  .filter((path) => /\.m?js$/.test(path))
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

/** Keys written out in the sources, and the beginnings of those that are put together. */
const LITERAL = new Set([...SOURCES.matchAll(/['"]([\w-]+(?:\.[\w-]+)*)['"]/g)].map((match) => match[1]));
const PREFIXES = [...new Set([...SOURCES.matchAll(/`([a-z_]+(?:\.[a-z_]+)*\.)\$\{/g)].map((match) => match[1]))];

test('both languages have the same keys', () => {
  assert.deepEqual(Object.keys(STRINGS['zh-CN']), KEYS);
});

test('both languages name the same values, and no text is empty but for units', () => {
  for (const key of KEYS) {
    const [en, zh] = [STRINGS.en[key], STRINGS['zh-CN'][key]].map((text) =>
      [
        ...new Set(
          templates(text)
            .flatMap(split)
            .flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name])),
        ),
      ].sort(),
    );
    const localOnly = key.startsWith('failure.'); // English repeats the engine's own message
    if (!localOnly) assert.deepEqual(zh, en, key);
    const blank = key.startsWith('unit.') || key === 'sentence.separator';
    if (!blank)
      for (const lang of Object.keys(STRINGS))
        assert.ok(templates(STRINGS[lang][key]).every(Boolean), `${lang} ${key}`);
  }
});

test('every text is used', () => {
  const unused = KEYS.filter((key) => !LITERAL.has(key) && !PREFIXES.some((prefix) => key.startsWith(prefix)));
  assert.deepEqual(unused, []);
});

test('every text that is asked for exists', () => {
  const asked = [...SOURCES.matchAll(/\b(?:t|parts)\(\s*'([^']+)'/g)].map((match) => match[1]);
  assert.ok(asked.length > 100);
  assert.deepEqual(
    asked.filter((key) => !KEYS.includes(key)),
    [],
  );
  assert.deepEqual(
    PREFIXES.filter((prefix) => !KEYS.some((key) => key.startsWith(prefix))),
    [],
  );
});

test('fields, options and presets each have their texts and no other', () => {
  const named = (/** @type {string} */ prefix) =>
    KEYS.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  const formats = FIELDS.filter(({ key }) => key === 'weights' || key === 'kv').flatMap(({ options }) => options ?? []);
  assert.deepEqual(new Set(named('format.')), new Set(formats));
  const shown = FIELDS.filter(
    ({ key, options }) => options && !['weights', 'kv', 'kinds', 'currency', 'lang'].includes(key),
  );
  const options = shown.flatMap(({ key, options: names = [] }) => names.map((name) => `${key}.${name}`));
  assert.deepEqual(new Set(named('option.')), new Set(options));
  assert.deepEqual(new Set(named('scenario.')), new Set(SCENARIOS.flatMap(({ id }) => [id, `${id}_what`])));
  assert.deepEqual(new Set(named('shortcut.')), new Set(SHORTCUTS.map(({ id }) => id)));
  for (const { key } of FIELDS.filter((field) => field.path)) assert.ok(KEYS.includes(`field.${key}`), key);
});

test('texts for symbols, codes and reasons belong to something the engine says', () => {
  const folders = readdirSync(`${ROOT}engine`, { recursive: true, encoding: 'utf8' });
  const files = folders
    .filter((name) => /\.(cpp|h)$/.test(name))
    .map((name) => readFileSync(`${ROOT}engine/${name}`, 'utf8'));
  const said = files.join('\n') + readFileSync(`${ROOT}catalog/calibration.json`, 'utf8');
  const known = (/** @type {string} */ name) =>
    said.includes(`"${name}"`) ||
    /^(all_layers|one_layer)_/.test(name) || // widths are named by the layers they are summed over
    /^(linear|expert|other|adapter)_(parameters|bits|shards|(gradient|optimizer|step_copy|bucket)_bytes(_shards)?)$/.test(
      name,
    ) ||
    ['price_old', 'price_dated_only_year', 'spot_missing'].includes(name); // the page's own, told from dates and the term
  for (const prefix of ['symbol.', 'reason.', 'group.', 'short.', 'assumed.why.']) {
    const names = KEYS.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    assert.deepEqual(
      names.filter((name) => !known(name)),
      [],
      prefix,
    );
  }
});

test('a text fills in its values by locale, and takes its plural form', () => {
  const make = (/** @type {string} */ lang) => translator(lang, STRINGS[lang], formatsFor(lang));
  assert.equal(make('en').t('why.machines', { count: 1 }), '1 machine');
  assert.equal(make('en').t('why.machines', { count: 1448 }), '1,448 machines');
  assert.equal(make('zh-CN').t('why.machines', { count: 1448 }), '1,448 台');
  assert.equal(
    make('en').t('reason.memory_short', { needed_gib: 21.79, usable_gib: 15, short_gib: 6.79 }),
    'Needs 21.8 GiB on each accelerator, 15.0 GiB usable: 6.8 GiB short.',
  );
  assert.equal(make('en').t('no.such.key'), 'no.such.key');
});

test('every line of an estimate has its texts, and a colour in light and in dark', () => {
  const header = readFileSync(`${ROOT}engine/memory/constants.h`, 'utf8');
  const ids = [...(header.match(/kLineNames\{([^}]*)\}/)?.[1] ?? '').matchAll(/"(\w+)"/g)].map(([, id]) => id);
  assert.ok(ids.length >= 11);
  const fills = readFileSync(`${ROOT}web/styles/memory.css`, 'utf8');
  const tokens = readFileSync(`${ROOT}web/styles/tokens.css`, 'utf8');
  for (const id of ids) {
    assert.ok(KEYS.includes(`line.${id}`) && KEYS.includes(`line.${id}_what`), id);
    const token = fills.match(new RegExp(`\\.fill-${id} \\{\\s*fill: var\\((--[\\w-]+)\\)`))?.[1];
    assert.ok(token, `no colour for ${id}`);
    assert.equal(tokens.split(`${token}:`).length, 3, `${token} stands once for light and once for dark`);
  }
});
