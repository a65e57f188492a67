/** The page gives the engine's answer, over http and from disk with the network off, in both languages. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { loadEngine } from '../../wasm/node.mjs';
import { formatsFor } from '../../web/format.js';
import { translator } from '../../web/i18n.js';
import { isRentable, join } from '../../web/machines.js';
import { sentence } from '../../web/phrases.js';
import { memoryOf, offersOf, sentenceOf, start, todayOf } from './harness.mjs';

/** @typedef {import('../../wasm/rigsizer.d.ts').PlanRequest} PlanRequest */

/** @type {Awaited<ReturnType<typeof start>>} */
let browser;
/** @type {import('../../wasm/rigsizer.d.ts').RigsizerEngine} */
let engine;
/** @type {import('../../wasm/rigsizer.d.ts').CatalogIndex} */
let catalog;

before(async () => {
  [browser, engine] = await Promise.all([start(), loadEngine()]);
  catalog = engine.catalog();
});
after(() => browser.stop());

/** @param {string} lang */
function words(lang) {
  const strings = JSON.parse(readFileSync(new URL(`../../web/strings/${lang}.json`, import.meta.url), 'utf8'));
  const fmt = formatsFor(lang);
  return { ...translator(lang, strings, fmt), fmt };
}

/** @param {PlanRequest} request */
function plan(request) {
  const answer = engine.plan(request);
  if ('error' in answer) assert.fail(answer.error.message);
  return answer;
}

/**
 * What the page must say for a request, told with the same formatters from the engine's answer in Node.
 * @param {PlanRequest} request
 * @param {string} lang
 */
function expected(request, lang) {
  const answer = plan(request);
  const machines = join(answer, catalog);
  const { fmt, t, ...more } = words(lang);
  const { lines = [], total, usable_bytes: usable = 1 } = answer.selected ?? {};
  const rows = lines.map((line) => [
    t(`line.${line.id}`),
    fmt.gib(line.bytes),
    fmt.band(line),
    fmt.share(line.bytes / (total?.value ?? 1)),
  ]);
  const last = total
    ? [
        [
          t('memory.total'),
          fmt.gib(total.value),
          fmt.band(total),
          t('memory.of_usable', { share: fmt.share(total.value / usable) }),
        ],
      ]
    : [];
  return {
    sentence: sentence({ ...more, fmt, t, answer, machines }, request.term ?? 'on_demand')
      .join('')
      .trim(),
    memory: [...rows, ...last],
    offers: machines
      .filter(isRentable)
      .slice(0, 50)
      .map(({ row }) => row.id),
  };
}

for (const where of /** @type {const} */ (['http', 'file'])) {
  for (const lang of ['en', 'zh-CN']) {
    test(`filling in the form by ${where} in ${lang} gives the engine's answer`, async () => {
      const { page, requests, complaints, close } = await browser.open(where, `#lang=${lang}`);
      await page.locator('#f-model').click();
      await page.locator('#f-model').fill('qwen 14');
      await page.locator('#model-list [role=option]').first().waitFor();
      await page.keyboard.press('Enter');
      await page.locator('input[name=task][value=lora]').check({ force: true });
      await page.locator('#f-sequence').fill('4096');
      await page.locator('#f-rank').fill('32');

      const request = /** @type {PlanRequest} */ ({
        model: 'qwen-14b',
        task: 'lora',
        train: { sequence_tokens: 4096, lora_rank: 32 },
        today: await todayOf(page),
      });
      const want = expected(request, lang);
      assert.equal(await sentenceOf(page), want.sentence);
      assert.deepEqual(await memoryOf(page), want.memory);
      assert.deepEqual(await offersOf(page), want.offers);
      assert.match(page.url(), /#v=1&model=qwen-14b&task=lora&sequence=4096&rank=32/);
      assert.equal(await page.locator('html').getAttribute('lang'), lang);
      assert.equal(requests.length, 1, `only the document is asked for: ${requests}`);
      assert.deepEqual(complaints, []);
      await close();
    });
  }
}

test('presets, term, currency and filters reach the engine', async () => {
  const { page, close } = await browser.open('file');
  await page.locator('[data-preset=team]').click();
  await page.locator('input[name=currency][value=EUR]').check({ force: true });
  await page.locator('.filters > summary').click();
  await page.locator('#f-term').selectOption('spot');
  await page.locator('#f-max-price').fill('60');
  const request = /** @type {PlanRequest} */ ({
    model: 'llama-3.1-70b',
    task: 'serve',
    serve: { context_tokens: 8192, concurrency: 16 },
    filter: { provider_kinds: ['public-cloud'], whole_accelerators_only: true, max_price_per_h: 60 },
    term: 'spot',
    currency: 'EUR',
    today: await todayOf(page),
  });
  const want = expected(request, 'en');
  assert.equal(await sentenceOf(page), want.sentence);
  assert.deepEqual(await offersOf(page), want.offers);
  assert.equal(await page.locator('[data-preset=team]').getAttribute('aria-pressed'), 'false');
  await close();
});

test('an own exchange rate changes the prices', async () => {
  const { page, close } = await browser.open('file', '#model=gpt2&task=serve&currency=CNY');
  await page.locator('.rates summary').click();
  await page.locator('#f-rate-cny').fill('10');
  const request = /** @type {PlanRequest} */ ({
    model: 'gpt2',
    task: 'serve',
    currency: 'CNY',
    exchange_rates: { CNY: 10 },
    today: await todayOf(page),
  });
  assert.equal(await sentenceOf(page), expected(request, 'en').sentence);
  assert.match((await page.locator('.rates summary').textContent()) ?? '', /10 CNY/);
  await close();
});

test('choosing a machine shows its memory, fitting or not', async () => {
  const { page, close } = await browser.open('file', '#model=llama-3-8b&task=lora');
  const second = page.locator('.machines .choose').nth(1);
  await second.click();
  const id = await page.locator('.machines tr.chosen').getAttribute('data-offer');
  const today = await todayOf(page);
  const ask = (/** @type {string | null} */ select) =>
    /** @type {PlanRequest} */ ({ model: 'llama-3-8b', task: 'lora', select: select ?? '', today });
  assert.deepEqual(await memoryOf(page), expected(ask(id), 'en').memory);
  assert.equal(await page.locator('.machines .facts').count(), 1);

  await page.locator('.why-not summary', { hasText: 'Not enough memory' }).click();
  await page.locator('.why-not .chip').first().click();
  const short = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('select');
  assert.notEqual(short, id);
  assert.deepEqual(await memoryOf(page), expected(ask(short), 'en').memory);
  assert.match((await page.locator('.memory .reason').first().textContent()) ?? '', /short/);
  await close();
});

test('cards without bf16 never show as fitting bf16 work, and always say why', async () => {
  const { page, close } = await browser.open('file', '#model=qwen2.5-1.5b&task=lora');
  while (await page.locator('.show-more').count()) await page.locator('.show-more').click();
  const labels = await page.locator('.machines td.accelerators').allInnerTexts();
  assert.ok(labels.length > 100);
  assert.deepEqual(
    labels.filter((label) => /\b(T4|V100|P100|P40)\b/.test(label)),
    [],
  );
  await page.locator('.why-not summary', { hasText: 'No bf16' }).click();
  const shapes = await page.locator('.why-not .shape').allInnerTexts();
  for (const card of ['T4', 'V100']) {
    const mine = shapes.filter((text) => new RegExp(`× ${card}\\b`).test(text));
    assert.ok(mine.length > 0, card);
    for (const text of mine) assert.match(text, /no bf16/);
  }
  await close();
});

test('sorting, searching and paging go through the same machines', async () => {
  const { page, close } = await browser.open('file', '#model=llama-3-8b&task=serve');
  const today = await todayOf(page);
  const machines = join(plan({ model: 'llama-3-8b', task: 'serve', today }), catalog).filter(isRentable);
  await page.locator('[data-sort=ram]').click();
  await page.locator('[data-sort=ram]').click();
  assert.equal(await page.locator('th[aria-sort=descending]').count(), 1);
  const most = Math.max(...machines.map(({ offer }) => offer.ram_gib ?? 0));
  const first = (await offersOf(page))[0];
  assert.equal(machines.find(({ row }) => row.id === first)?.offer.ram_gib, most);
  await page.locator('#f-find').fill('aws g6e');
  const aws = machines.filter(({ offer }) => offer.provider === 'AWS' && offer.machine.startsWith('g6e'));
  assert.equal((await offersOf(page)).length, Math.min(50, aws.length));
  await page.locator('#f-find').fill('');
  await page.locator('.show-more').click();
  assert.equal((await offersOf(page)).length, 100);
  await close();
});
