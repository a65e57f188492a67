/** How the page looks and weighs: accessibility, narrow screens, steadiness, size, and the time an answer takes. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { AxeBuilder } from '@axe-core/playwright';
import { start } from './harness.mjs';

const BUDGET_GZIP = 300_000;
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const DIST = fileURLToPath(new URL('../../dist/index.html', import.meta.url));

/** @type {Awaited<ReturnType<typeof start>>} */
let browser;
before(async () => {
  browser = await start();
});
after(() => browser.stop());

test('the page is within its weight and asks for nothing by itself', async (context) => {
  const page = await readFile(DIST);
  const weight = gzipSync(page, { level: 9 }).length;
  context.diagnostic(`${page.length} bytes, gzip ${weight}`);
  assert.ok(weight <= BUDGET_GZIP, `gzip ${weight}`);
  const text = page.toString('utf8');
  assert.match(text.slice(0, 120), /<meta charset="utf-8">/);
  assert.match(text, /Content-Security-Policy" content="default-src 'none'/);
  const markup = text.replace(/<script[\s\S]*?<\/script>/g, '').replace(/<style[\s\S]*?<\/style>/g, '');
  assert.doesNotMatch(markup, /\s(?:src|href)="(?!data:)/);
  assert.doesNotMatch(text, /unsafe-inline|unsafe-eval'(?<!wasm-unsafe-eval')/);
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  test(`no accessibility violations, ${colorScheme}`, async () => {
    const { page, close } = await browser.open('http', '#model=llama-3-8b&task=lora&find=lambda', { colorScheme });
    const check = async (/** @type {string} */ state) => {
      // The data blocks have done their work; axe would only read their megabyte again and again.
      await page.evaluate(() => {
        for (const script of document.querySelectorAll('script')) script.remove();
      });
      const { violations } = await new AxeBuilder({ page })
        .options({ runOnly: RULES, resultTypes: ['violations'] })
        .analyze();
      assert.deepEqual(
        violations.map(({ id, nodes }) => [state, id, nodes.slice(0, 3).map(({ html }) => html)]),
        [],
      );
    };
    await check('results');
    await page.locator('.line-name').first().click();
    await page.locator('.filters > summary').click();
    await page.locator('.group > summary').first().click();
    await page.locator('.sources > summary').click();
    await check('everything open');
    await page.locator('.filters > summary').click();
    await page.locator('.rates > summary').click();
    await page.locator('#f-model').click();
    await page.locator('#f-model').fill('clip');
    await check('searching');
    await page.keyboard.press('Escape');
    await page.locator('#f-sequence').fill('0');
    await check('error');
    await close();
  });
}

test('360 px wide there is no sideways scroll, and everything can be reached', async () => {
  for (const hash of [
    '#model=llama-3.1-70b&task=serve&lang=zh-CN&currency=CNY',
    '#model=llama-3-8b&task=full',
    '#model=deepseek-v3&task=full',
  ]) {
    const { page, close } = await browser.open('file', hash, { viewport: { width: 360, height: 740 } });
    for (const summary of await page.locator('summary').all()) if (await summary.isVisible()) await summary.click();
    for (const line of await page.locator('.line-name').all()) await line.click();
    const [content, view] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.documentElement.clientWidth,
    ]);
    assert.ok(content <= view, `${hash}: ${content} > ${view}`);
    await close();
  }
});

test('nothing jumps while the page starts', async () => {
  const { page, close } = await browser.open('http', '#model=llama-3-8b&task=lora');
  const shift = await page.evaluate(
    () =>
      new Promise((done) => {
        let sum = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) sum += /** @type {any} */ (entry).value;
        }).observe({ type: 'layout-shift', buffered: true });
        setTimeout(() => done(sum), 400);
      }),
  );
  assert.ok(Number(shift) < 0.1, `layout shift ${shift}`);
  await close();
});

test('from a change to the painted answer (measured, not asserted)', async (context) => {
  const { page, close } = await browser.open('file', '#model=llama-3-8b&task=lora');
  const times = await page.evaluate(async () => {
    const input = /** @type {HTMLInputElement} */ (document.querySelector('#f-sequence'));
    const painted = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const all = [];
    for (let round = 0; round < 10; round += 1) {
      const from = performance.now();
      input.value = String(1024 + 64 * round);
      input.dispatchEvent(new Event('input', { bubbles: true }));
      await painted();
      all.push(performance.now() - from);
    }
    return all.sort((a, b) => a - b);
  });
  context.diagnostic(
    `median ${((times[4] + times[5]) / 2).toFixed(1)} ms, least ${times[0].toFixed(1)}, most ${times[9].toFixed(1)}`,
  );
  await close();
});
