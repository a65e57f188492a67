/** Errors of the command line as values of one shape, the same as the engine's own. */

/** @typedef {import('../rigsizer.d.ts').Failure['error']} Problem */

export class InputError extends Error {
  /** @param {Problem} problem */
  constructor(problem) {
    super(problem.message);
    this.problem = problem;
  }
}

/**
 * @param {string} code
 * @param {string} message
 * @param {string} [hint]
 * @param {string} [path]
 */
export const wrong = (code, message, hint = '', path = '') => new InputError({ code, path, message, hint });

/**
 * An answer of the engine, or its failure as an error.
 * @template T
 * @param {T | import('../rigsizer.d.ts').Failure} answer
 * @returns {T}
 */
export function answered(answer) {
  if (answer && typeof answer === 'object' && 'error' in answer) throw new InputError(answer.error);
  return /** @type {T} */ (answer);
}

/**
 * @param {Problem} problem
 * @param {string} [text] the message in the reader's language
 */
export function report({ code, path, message, hint }, text = message) {
  const lines = [`rigsizer: ${text}`, path && `  at ${path}`, text === message && hint && `  ${hint}`, `  (${code})`];
  return `${lines.filter(Boolean).join('\n')}\n`;
}
