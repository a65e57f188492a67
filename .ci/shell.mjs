// Running programs and finding them; built-in modules only, since this runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** The program's path, or null. */
export function which(program) {
  if (program.includes('/')) return existsSync(program) ? program : null;
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // not here
    }
  }
  return null;
}

/** Debian's Emscripten looks for acorn in Debian's module folder, which a Node from elsewhere does not search. */
function environment(extra) {
  const debian = '/usr/share/nodejs';
  const NODE_PATH = [process.env.NODE_PATH, existsSync(debian) ? debian : null].filter(Boolean).join(delimiter);
  return { ...process.env, ...(NODE_PATH && { NODE_PATH }), ...extra };
}

/** Runs with its output shown. Ends this process with a message when it fails. */
export function run(program, args, { cwd = ROOT, env = {}, quiet = false } = {}) {
  const result = spawnSync(program, args, {
    cwd,
    env: environment(env),
    // what is built speaks on standard error, so that what is asked for can be piped
    stdio: quiet ? 'pipe' : ['inherit', 2, 2],
    encoding: 'utf8',
  });
  if (result.status === 0) return;
  if (quiet) process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  console.error(`\nfailed: ${[program, ...args].join(' ')}${result.error ? ` (${result.error.message})` : ''}`);
  process.exit(1);
}

/** Runs with its output both shown and returned. */
export function capture(program, args, { cwd = ROOT, env = {} } = {}) {
  const result = spawnSync(program, args, { cwd, env: environment(env), encoding: 'utf8', maxBuffer: 1 << 28 });
  const output = `${result.stdout ?? ''}${result.stderr ?? ''}${result.error ? `${result.error.message}\n` : ''}`;
  return { ok: result.status === 0, output };
}
