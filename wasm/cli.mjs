#!/usr/bin/env node
/**
 * Rigsizer on the command line: the same engine, requests and texts as the page.
 * Exit status: 0 a machine fits, 1 none does, 2 the input is wrong.
 */
import { run } from './cli/run.mjs';

process.stdout.on('error', (error) => {
  if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EPIPE') throw error; // `| head` has read enough
});

process.exitCode = await run(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  stdin: process.stdin,
});
