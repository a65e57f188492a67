/** The page away from home: saved by the browser, saved by itself, in a frame, without JavaScript. */
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { memoryOf, offersOf, sentenceOf, start } from './harness.mjs';

/** @type {Awaited<ReturnType<typeof start>>} */
let browser;
/** @type {string} */
let folder;

before(async () => {
  browser = await start();
  folder = await mkdtemp(join(tmpdir(), 'rigsizer-'));
});
after(async () => {
  await browser.stop();
  await rm(folder, { recursive: true });
});

test('a saved page reopens with the same numbers, once, and does not grow', async () => {
  let opened = await browser.open('http', '#model=qwen-14b&task=lora&sequence=4096&batch=2&kinds=ai-cloud&whole');
  await opened.page.locator('.line-name').first().click();
  const want = {
    sentence: await sentenceOf(opened.page),
    memory: await memoryOf(opened.page),
    offers: await offersOf(opened.page),
  };
  /** @type {number[]} */
  const sizes = [];
  for (let round = 1; round <= 3; round += 1) {
    const saved = join(folder, `saved-${round}.html`);
    await writeFile(saved, `<!DOCTYPE html>\n${await opened.page.evaluate(() => document.documentElement.outerHTML)}`);
    sizes.push((await readFile(saved)).length);
    await opened.close();
    opened = await browser.open(pathToFileURL(saved).href);
    const { page } = opened;
    assert.deepEqual(
      { sentence: await sentenceOf(page), memory: await memoryOf(page), offers: await offersOf(page) },
      want,
    );
    for (const once of ['header.top', 'main', 'footer', '#f-model', '.verdict', 'h1'])
      assert.equal(await page.locator(once).count(), 1, once);
    assert.equal(await page.locator('#f-sequence').inputValue(), '4096');
    assert.deepEqual(opened.complaints, []);
    await page.locator('#f-sequence').fill('2048');
    assert.notEqual(await sentenceOf(page), '');
    await page.locator('#f-sequence').fill('4096');
  }
  await opened.close();
  assert.ok(Math.abs(sizes[2] - sizes[1]) < 2000, `sizes ${sizes}`);
});

test('the page saves a copy of itself that works', async () => {
  const { page, close } = await browser.open('file', '#model=gpt2&task=full&currency=EUR');
  const want = await sentenceOf(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.verdict button', { hasText: 'Save a copy' }).click(),
  ]);
  const copy = join(folder, 'copy.html');
  await download.saveAs(copy);
  await close();
  const again = await browser.open(pathToFileURL(copy).href);
  assert.equal(await sentenceOf(again.page), want);
  await again.close();
});

test('the page works in a sandboxed frame', async () => {
  const { page: other, close } = await browser.open('http', '#model=gpt2&task=full');
  const page = await other.context().newPage(); // the page's own policy would allow no frame
  await page.setContent(
    `<iframe sandbox="allow-scripts" src="${browser.bases.http}#model=gpt2&task=full" title="calculator"></iframe>`,
  );
  const frame = page.frameLocator('iframe');
  await frame.locator('.verdict .sentence').waitFor();
  await frame.locator('#f-batch').fill('4');
  assert.match((await frame.locator('.verdict .sentence').textContent()) ?? '', /machines fit/);
  await close();
});

test('an MHTML snapshot still shows the answer', async () => {
  const { page, close } = await browser.open('file', '#model=gpt2&task=full');
  const client = await page.context().newCDPSession(page);
  const { data } = await client.send('Page.captureSnapshot', { format: 'mhtml' });
  assert.match(data.replaceAll('=\r\n', ''), /machines fit/);
  await close();
});

test('without JavaScript the page says what it is', async () => {
  const { page, close } = await browser.open('file', '', { javaScriptEnabled: false });
  const text = (await page.locator('body').textContent()) ?? '';
  assert.match(text, /Which cloud GPU machine fits/);
  assert.match(text, /JavaScript/);
  assert.match(text, /算力尺/);
  await close();
});
