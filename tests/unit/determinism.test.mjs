// Native and wasm give byte-equal JSON for every golden request.
//
// RIGSIZER_BUILD names the native build folder (default build/native), RIGSIZER_WASM that of the wasm build (default
// build/wasm). A missing build skips with the reason, unless RIGSIZER_REQUIRE_WASM is set.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { loadModule } from '../../wasm/node.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const native = process.env.RIGSIZER_BUILD ?? join(root, 'build/native');
const wasm = process.env.RIGSIZER_WASM ?? join(root, 'build/wasm');
const printer = join(native, 'tests/rigsizer_print');
const glue = join(wasm, 'rigsizer.js');
const catalog = join(native, 'tests/catalog.json');
const requests = join(root, 'tests/golden/requests');
const files = readdirSync(requests)
  .filter((name) => name.endsWith('.json'))
  .sort();

const missing = [printer, glue, catalog].filter((file) => !existsSync(file));
const skip = missing.length > 0 && !process.env.RIGSIZER_REQUIRE_WASM ? `not built: ${missing.join(', ')}` : false;

describe('native and wasm answer alike', { skip }, () => {
  let engine;
  before(async () => {
    const module = await loadModule({ glue: pathToFileURL(glue), wasm: pathToFileURL(join(wasm, 'rigsizer.wasm')) });
    engine = new module.Engine(readFileSync(catalog, 'utf8'));
  });

  for (const name of files) {
    it(name, () => {
      const path = join(requests, name);
      const { call, request } = JSON.parse(readFileSync(path, 'utf8'));
      const expected = execFileSync(printer, [catalog, path], { encoding: 'utf8', maxBuffer: 1 << 28 }).trimEnd();
      const answer = engine[call](JSON.stringify(request));
      assert.equal(
        name.startsWith('error-'),
        'error' in JSON.parse(answer),
        'errors are answered to error-*.json and to nothing else',
      );
      assert.ok(answer === expected, firstDifference(answer, expected));
    });
  }

  it('the catalog index', () => {
    assert.ok(engine.catalog().length > 100000);
    assert.equal(engine.catalog(), engine.catalog());
  });
});

it('there are golden requests for every call and task', () => {
  const all = files.map((name) => JSON.parse(readFileSync(join(requests, name), 'utf8')));
  assert.ok(files.length >= 12);
  for (const call of ['plan', 'estimate', 'describe'])
    assert.ok(
      all.some((one) => one.call === call),
      call,
    );
  for (const task of ['serve', 'full', 'lora', 'qlora'])
    assert.ok(
      all.some((one) => one.request.task === task),
      task,
    );
});

function firstDifference(answer, expected) {
  let at = 0;
  while (at < answer.length && answer[at] === expected[at]) ++at;
  return `differs at byte ${at}: wasm ${answer.slice(at - 60, at + 60)} | native ${expected.slice(at - 60, at + 60)}`;
}
