/** Using the page: mistakes, languages, looking around by keyboard, taking the answer along. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { unpackedText } from '../../web/packed.js';
import { memoryOf, offersOf, sentenceOf, start } from './harness.mjs';

/** @type {Awaited<ReturnType<typeof start>>} */
let browser;
before(async () => {
  browser = await start();
});
after(() => browser.stop());

test('a bad config is told beside its field, in both languages, and undo brings the model back', async () => {
  const { page, complaints, close } = await browser.open('file', '#model=llama-3-8b&task=serve');
  const good = await sentenceOf(page);
  await page.locator('.model .switch button', { hasText: 'config.json' }).click();
  assert.match((await page.locator('#e-model').textContent()) ?? '', /Paste a config\.json/);
  await page.locator('#f-config').fill('{"model_type": "llama", "hidden_size": 4096');
  assert.match((await page.locator('#e-model').textContent()) ?? '', /not valid JSON/);
  assert.equal(await page.locator('#f-config').getAttribute('aria-invalid'), 'true');
  assert.match((await page.locator('.verdict .failure').textContent()) ?? '', /not valid JSON/);
  assert.equal(await page.locator('.results').getAttribute('inert'), '');
  await page.locator('input[name=lang][value=zh-CN]').check({ force: true });
  assert.match((await page.locator('#e-model').textContent()) ?? '', /不是合法的 JSON/);
  await page.locator('input[name=lang][value=en]').check({ force: true });
  await page.locator('[data-action=undo]').click();
  await page.locator('[data-action=undo]').click();
  assert.equal(await sentenceOf(page), good);
  assert.deepEqual(complaints, []);
  await close();
});

test('a pasted config gives the same memory as the same model of the catalog', async () => {
  const { page, close } = await browser.open('file', '#model=llama-3-8b&task=full');
  const want = await memoryOf(page);
  const catalog = JSON.parse(unpackedText((await page.locator('#catalog').textContent()) ?? ''));
  const llama = catalog.models.find((/** @type {any} */ model) => model.id === 'llama-3-8b');
  await page.locator('.model .switch button', { hasText: 'config.json' }).click();
  await page.locator('#f-config').fill(JSON.stringify(llama.config, null, 2));
  assert.deepEqual(await memoryOf(page), want);
  await page.locator('#f-config').fill('');
  await page.locator('#f-file').setInputFiles({
    name: 'config.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(llama.config)),
  });
  await page.waitForFunction(() => !document.querySelector('.verdict .failure'));
  assert.deepEqual(await memoryOf(page), want);
  await close();
});

test('a value out of range is told beside its field', async () => {
  const { page, close } = await browser.open('file', '#model=llama-3-8b&task=serve');
  await page.locator('#f-context').fill('0');
  assert.equal(await page.locator('#f-context').getAttribute('aria-invalid'), 'true');
  assert.notEqual(await page.locator('#e-context').textContent(), '');
  await page.locator('#f-context').fill('4096');
  assert.equal(await page.locator('#f-context').getAttribute('aria-invalid'), null);
  await close();
});

test('the language switch keeps what was said', async () => {
  const { page, close } = await browser.open('http', '#model=qwen-14b&task=qlora&sequence=1024&find=l40s&sort=-price');
  const before = { offers: await offersOf(page), memory: (await memoryOf(page)).map((row) => row[1]) };
  await page.locator('input[name=lang][value=zh-CN]').check({ force: true });
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN');
  assert.match(await page.title(), /算力尺/);
  assert.deepEqual({ offers: await offersOf(page), memory: (await memoryOf(page)).map((row) => row[1]) }, before);
  assert.equal(await page.locator('#f-sequence').inputValue(), '1024');
  assert.doesNotMatch(
    (await page.locator('main').textContent()) ?? '',
    /\b(?:option|field|reason|line|symbol|unit|hint)\.[a-z_]+/,
  );
  await close();
});

test('a first visit follows the language of the browser', async () => {
  const { page, close } = await browser.open('file', '', { locale: 'zh-CN' });
  assert.equal(await page.locator('html').getAttribute('lang'), 'zh-CN');
  assert.match(page.url(), /currency=CNY/);
  await close();
});

test('link and Markdown are copied', async () => {
  const { page, close } = await browser.open('http', '#model=gpt2&task=full', {
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const copied = async (/** @type {string} */ name) => {
    await page.locator('.verdict button', { hasText: name }).click();
    await page.locator('.said', { hasText: 'Copied' }).waitFor();
    return page.evaluate(() => navigator.clipboard.readText());
  };
  assert.equal(await copied('Copy link'), page.url());
  const text = await copied('Markdown');
  assert.ok(text.includes(await sentenceOf(page)));
  for (const [name, size] of await memoryOf(page)) assert.ok(text.includes(name) && text.includes(size), name);
  assert.match(text, /\| Machine \| Accelerators \|/);
  await close();
});

test('an old catalog and old prices say so', async () => {
  const { page, close } = await browser.open('file', '#model=gpt2&task=full');
  const date = JSON.parse(unpackedText((await page.locator('#catalog').textContent()) ?? '')).date;
  const later = (/** @type {number} */ days) => new Date(Date.parse(date) + days * 86_400_000 + 43_200_000);
  await page.clock.setFixedTime(later(90));
  await page.locator('#f-batch').fill('2');
  assert.equal(await page.locator('.banner').count(), 0);
  await page.clock.setFixedTime(later(400));
  await page.locator('#f-batch').fill('3');
  assert.match((await page.locator('.banner').textContent()) ?? '', /400 days ago/);
  assert.ok((await page.locator('.old').count()) > 5);
  await close();
});

test('the whole task works by keyboard', async () => {
  const { page, close } = await browser.open('file', '#model=llama-3-8b&task=serve');
  await page.locator('#f-model').focus();
  await page.keyboard.type('qwen 14');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.locator('#f-model').getAttribute('aria-activedescendant'), 'model-0');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('name')), 'task');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  assert.match(page.url(), /model=qwen-14b&task=lora/);
  await page.locator('.line-name').first().focus();
  await page.keyboard.press('Enter');
  assert.ok(await page.locator('.working:not([hidden]) .formula').first().isVisible());
  await page.locator('.choose').nth(2).focus();
  await page.keyboard.press('Enter');
  assert.equal(await page.locator('.facts').count(), 1);
  await page.locator('.segment').first().focus();
  assert.match((await page.locator('.segment').first().getAttribute('aria-label')) ?? '', /Weights: .* GiB/);
  await page.locator('h1').click();
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  assert.match(page.url(), /model=qwen-14b&task=serve/);
  await close();
});
