/** "How accurate is this?": opens, draws every predicted row, can be walked through by keyboard, and hides nothing. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AxeBuilder } from '@axe-core/playwright';
import { start } from './harness.mjs';

/** @typedef {import('playwright-core').Page} Page */

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** @type {Awaited<ReturnType<typeof start>>} */
let browser;
before(async () => {
  browser = await start();
});
after(() => browser.stop());

/**
 * @param {string} [hash]
 * @param {import('playwright-core').BrowserContextOptions} [options]
 */
async function opened(hash = '#model=llama-3-8b&task=lora', options) {
  const all = await browser.open('file', hash, options);
  assert.equal(await all.page.locator('.scatter').count(), 0, 'nothing is drawn before it is asked for');
  await all.page.locator('.accuracy > details > summary').click();
  await all.page.locator('.scatter').waitFor();
  return all;
}

/** @param {import('playwright-core').Locator} place */
const textOf = async (place) => ((await place.textContent()) ?? '').replace(/\s+/g, ' ').trim();

/** The number under "Predicted" of the chosen figure. @param {Page} page */
const predicted = async (page) =>
  Number((await textOf(page.locator('.figures .chosen td').first())).replace(/\D/g, ''));

/** @param {Page} page */
const marks = (page) => page.locator('.scatter .place').count();

test('every figure has as many marks as predicted rows, of all rows and of those of high confidence', async () => {
  const { page, complaints, requests, close } = await opened();
  for (const which of ['high', 'all']) {
    await page.locator(`input[name=accuracy-rows][value=${which}]`).check({ force: true });
    for (const button of await page.locator('.figures button').all()) {
      await button.click();
      assert.equal(await marks(page), await predicted(page), `${which} ${await textOf(button)}`);
    }
  }
  assert.ok((await marks(page)) > 0);
  assert.deepEqual(complaints, []);
  assert.equal(requests.length, 1);
  await close();
});

test('the Tab key comes to one mark, arrow keys walk through all, and each is read out with its source', async () => {
  const { page, close } = await opened();
  assert.equal(await page.locator('.scatter [tabindex="0"]').count(), 1);
  await page.locator('.figures .chosen button').focus();
  const buttons = await page.locator('.figures button').count();
  for (let i = 0; i < buttons; i += 1) await page.keyboard.press('Tab');
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-row'));
  const first = await focused();
  assert.ok(first);
  assert.match(await textOf(page.locator('.readout')), new RegExp(`^${first}, .*Measured .*predicted .*band`));
  await page.keyboard.press('ArrowRight');
  const second = await focused();
  assert.notEqual(second, first);
  assert.match(await textOf(page.locator('.readout')), new RegExp(`^${second}`));
  assert.equal(await page.locator('.scatter [tabindex="0"]').getAttribute('data-row'), second);
  assert.equal(await page.locator('.scatter .current line').count(), 1);
  await page.keyboard.press('ArrowLeft');
  assert.equal(await focused(), first);
  await page.keyboard.press('End');
  const last = await focused();
  await page.keyboard.press('ArrowRight');
  assert.equal(await focused(), last);
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate(() => document.activeElement?.closest('.readout') !== null), true);
  await close();
});

test('a pointer near a mark reads it out', async () => {
  const { page, close } = await opened();
  const mark = page.locator('.scatter .place').last();
  await mark.scrollIntoViewIfNeeded();
  const box = await mark.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + box.width / 2 + 3, box.y + box.height / 2);
  assert.match(await textOf(page.locator('.readout')), /^[A-Z]{3}\d+/);
  await close();
});

test('the ten rows furthest off are listed, with links or the word that there is none', async () => {
  const { page, close } = await opened();
  const rows = page.locator('.worst tbody tr');
  assert.equal(await rows.count(), 10);
  for (const row of await rows.all()) {
    const link = row.locator('th a');
    if (await link.count()) assert.match((await link.getAttribute('href')) ?? '', /^https:\/\//);
    else assert.match(await textOf(row), /no public link/);
  }
  const errors = (await page.locator('.worst td:last-child').allInnerTexts()).map((text) =>
    parseFloat(text.replace(/[^\d.]/g, '')),
  );
  assert.deepEqual(
    errors,
    [...errors].sort((a, b) => b - a),
  );
  await close();
});

for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
  test(`no accessibility violations, ${colorScheme}`, async () => {
    const { page, close } = await opened('#model=llama-3-8b&task=lora&lang=zh-CN', { colorScheme });
    await page.locator('.skipped > summary').click();
    await page.locator('.scatter [tabindex="0"]').focus();
    const { violations } = await new AxeBuilder({ page })
      .include('.accuracy')
      .options({ runOnly: RULES, resultTypes: ['violations'] })
      .analyze();
    assert.deepEqual(
      violations.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]),
      [],
    );
    await close();
  });
}

test('it fits 360 px, in both languages', async () => {
  for (const lang of ['en', 'zh-CN']) {
    const { page, close } = await opened(`#model=gpt2&task=full&lang=${lang}`, {
      viewport: { width: 360, height: 740 },
    });
    await page.locator('.skipped > summary').click();
    for (const button of await page.locator('.figures button').all()) {
      await button.click();
      const [content, view] = await page.evaluate(() => [
        document.documentElement.scrollWidth,
        document.documentElement.clientWidth,
      ]);
      assert.ok(content <= view, `${lang}: ${content} > ${view}`);
    }
    await close();
  }
});

test('a saved page opens it again', async () => {
  const { page, close } = await opened();
  const text = `<!DOCTYPE html>${await page.evaluate(() => document.documentElement.outerHTML)}`;
  await page.setContent(text);
  await page.locator('.accuracy > details:not([open]) > summary').click();
  await page.locator('.scatter').waitFor();
  assert.equal(await page.locator('.accuracy').count(), 1);
  assert.equal(await marks(page), await predicted(page));
  await close();
});
