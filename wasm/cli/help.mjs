/** What `--help` prints: written from the flags themselves, so that it cannot fall behind them. */
import { FIELDS_OF, optionsOf } from './flags.mjs';

/** @type {Record<string, string>} */
const USAGE = {
  plan: 'plan [R.json | -] [flags]          which machines fit, at what price, and why the others do not',
  estimate: 'estimate [R.json | -] [flags]      memory on one kind of accelerator (--accelerator, --count)',
  describe: 'describe config.json | - | ID      parameters and KV cache of a model',
  validate: 'validate FILE.csv | - [flags]      measured runs beside what is predicted for them',
  offers: 'offers [flags]                     the machines of the catalog',
};

/** @param {string} [command] */
export function help(command) {
  const usage = command ? [USAGE[command]] : Object.values(USAGE);
  const lines = [
    'Usage: rigsizer COMMAND …',
    '',
    ...usage.map((line) => `  rigsizer ${line}`),
    '',
    ...(command ? ['Flags:', ...flagLines(command)] : ['"rigsizer COMMAND --help" lists the flags of a command.']),
    '',
    'A flag goes over the same field of the request file. --json prints the answer as JSON, --lang zh-CN in Chinese.',
    'Exit status: 0 a machine fits, 1 none does, 2 the input is wrong.',
  ];
  return `${lines.join('\n')}\n`;
}

/** @param {string} command */
function flagLines(command) {
  return Object.entries(optionsOf(command)).map(([name, { type }]) => {
    const field = FIELDS_OF[command].find(({ key }) => key === name);
    const kind = field?.kind === 'integer' || field?.kind === 'decimal' ? 'N' : (field?.options?.join('|') ?? 'TEXT');
    const value = type === 'boolean' ? '' : ` ${kind}`;
    const path = field?.path ? `  /${field.path.join('/')}` : '';
    return `  ${`--${name}${value}`.padEnd(56)}${path}`.trimEnd();
  });
}
