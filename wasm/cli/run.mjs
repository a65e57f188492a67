/** Reads the command line, asks the engine, prints. The commands themselves are in commands.mjs, their tables in print.mjs. */
import { failureText } from '../../web/reasons.js';
import { loadEngine } from '../node.mjs';
import { describe, estimate, offers, plan, validate } from './commands.mjs';
import { InputError, report, wrong } from './errors.mjs';
import { COMMANDS, parse } from './flags.mjs';
import { help } from './help.mjs';
import { wordsOf } from './words.mjs';

/**
 * @typedef {import('./words.mjs').Words} Words
 * @typedef {import('./flags.mjs').Flags} Flags
 * @typedef {import('../rigsizer.d.ts').RigsizerEngine} RigsizerEngine
 * @typedef {{ out: (text: string) => void, err: (text: string) => void, stdin: AsyncIterable<Buffer | string> }} Streams
 * @typedef {{ engine: RigsizerEngine, words: Words, flags: Flags, positionals: string[], stdin: Streams['stdin'] }} Call
 * @typedef {{ json: unknown, text: () => string, status: 0 | 1 }} Outcome  `text` is made only when it is wanted
 */

/** @type {Record<string, (call: Call) => Promise<Outcome>>} */
const RUN = { plan, estimate, describe, validate, offers };

/**
 * @param {string[]} args
 * @param {Streams} streams
 * @returns {Promise<number>} exit status
 */
export async function run(args, { out, err, stdin }) {
  let words = await wordsOf('en');
  try {
    const [command, ...rest] = args;
    if (command === undefined || command === '--help' || command === '-h' || command === 'help') {
      (command === undefined ? err : out)(help());
      return command === undefined ? 2 : 0;
    }
    if (!COMMANDS.includes(command)) {
      throw wrong('command_unknown', `There is no command "${command}".`, `There are: ${COMMANDS.join(', ')}.`);
    }
    const { values: flags, positionals } = parse(command, rest);
    if (flags.help) {
      out(help(command));
      return 0;
    }
    words = await wordsOf(typeof flags.lang === 'string' ? flags.lang : 'en');
    const engine = await loadEngine();
    const { json, text, status } = await RUN[command]({ engine, words, flags, positionals, stdin });
    out(flags.json ? `${JSON.stringify(json, null, 2)}\n` : text());
    return status;
  } catch (error) {
    if (error instanceof InputError) err(report(error.problem, failureText(words, error.problem)));
    else err(`rigsizer: ${error instanceof Error ? error.message : error}\n`);
    return 2;
  }
}
