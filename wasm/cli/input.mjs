/** Reading what the command line is given: a file, or standard input for `-`. */
import { readFile } from 'node:fs/promises';
import { wrong } from './errors.mjs';

/**
 * @param {string} name
 * @param {AsyncIterable<Buffer | string>} stdin
 * @param {'JSON' | 'CSV'} format
 * @returns {Promise<string>}
 */
export async function readText(name, stdin, format = 'JSON') {
  const text = name === '-' ? await all(stdin) : await fromFile(name);
  if (text.trim() === '') {
    const what = name === '-' ? 'Standard input' : `The file ${name}`;
    throw wrong('input_empty', `${what} is empty.`, `It should hold ${format}.`);
  }
  return text;
}

/**
 * @param {string} name
 * @param {AsyncIterable<Buffer | string>} stdin
 * @returns {Promise<Record<string, any>>}
 */
export async function readRequest(name, stdin) {
  const text = await readText(name, stdin);
  let value;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const message = `${name === '-' ? 'Standard input' : name} is not JSON: ${/** @type {Error} */ (error).message}.`;
    throw wrong('request_not_json', message, 'Comments, NaN and trailing commas are not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrong(
      'request_not_object',
      'The request should be a JSON object.',
      'Such as {"model": "llama-3-8b", "task": "lora"}.',
    );
  }
  return value;
}

/** @param {string} name */
async function fromFile(name) {
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOENT')
      throw wrong('file_missing', `There is no file ${name}.`, 'Check the path; - reads standard input.');
    if (code === 'EISDIR') throw wrong('file_is_directory', `${name} is a directory.`, 'Name the JSON file inside it.');
    throw wrong('file_unreadable', `${name} cannot be read: ${message}.`);
  }
}

/** @param {AsyncIterable<Buffer | string>} stream */
async function all(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString('utf8');
}
