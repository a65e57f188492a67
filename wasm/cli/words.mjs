/** The page's texts for the command line. */
import { readFile } from 'node:fs/promises';
import { fieldOf } from '../../web/fields.js';
import { formatsFor } from '../../web/format.js';
import { translator } from '../../web/i18n.js';
import { wrong } from './errors.mjs';

/** @typedef {import('../../web/i18n.js').Translator & { fmt: import('../../web/format.js').Formats }} Words */

/**
 * @param {string} lang
 * @returns {Promise<Words>}
 */
export async function wordsOf(lang) {
  const known = fieldOf('lang').options ?? [];
  if (!known.includes(lang))
    throw wrong('flag_wrong', `--lang cannot be "${lang}".`, `It can be: ${known.join(', ')}.`);
  const strings = JSON.parse(await readFile(new URL(`../../web/strings/${lang}.json`, import.meta.url), 'utf8'));
  const fmt = formatsFor(lang);
  return { ...translator(lang, strings, fmt), fmt };
}
