/** Opens the packed page as readers do: from a web server, and from disk with the network off. Every request is noted. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { CHROMIUM } from '../../web/chromium.mjs';
import { listen, makeServer } from '../../web/serve.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').BrowserContextOptions} Options */
/** @typedef {{ page: Page, requests: string[], complaints: string[], close: () => Promise<void> }} Opened */

const PAGE = fileURLToPath(new URL('../../dist/index.html', import.meta.url));

export async function start() {
  const server = makeServer();
  const port = await listen(server, 0);
  const browser = await chromium.launch(CHROMIUM);
  const bases = { http: `http://localhost:${port}/`, file: pathToFileURL(PAGE).href };

  /**
   * @param {'http' | 'file' | string} where a known place, or an address
   * @param {string} [hash]
   * @param {Options} [options]
   * @returns {Promise<Opened>}
   */
  async function open(where, hash = '', options = {}) {
    const context = await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 900 }, ...options });
    const page = await context.newPage();
    /** @type {string[]} */
    const requests = [];
    /** @type {string[]} */
    const complaints = [];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    const address = where === 'http' || where === 'file' ? bases[where] : where;
    if (!address.startsWith('http')) await context.setOffline(true);
    await page.goto(address + hash);
    if (options.javaScriptEnabled !== false) await page.locator('.verdict').waitFor();
    return { page, requests, complaints, close: () => context.close() };
  }

  async function stop() {
    await browser.close();
    await new Promise((done) => {
      server.close(done);
      server.closeAllConnections();
    });
  }

  return { open, stop, bases };
}

/** The sentence of the answer. @param {Page} page */
export async function sentenceOf(page) {
  return ((await page.locator('.verdict .sentence').textContent()) ?? '').replace(/\s+/g, ' ').trim();
}

/** The memory table, as the reader sees it. @param {Page} page */
export async function memoryOf(page) {
  const rows = await page.locator('.lines .line, .lines .total').all();
  return Promise.all(rows.map(async (row) => (await row.locator('th, td').allInnerTexts()).map((text) => text.trim())));
}

/** The machines of the first list. @param {Page} page */
export const offersOf = (page) =>
  page
    .locator('.machines tbody tr[data-offer]')
    .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-offer')));

/** The reader's calendar day, as the page takes it. @param {Page} page */
export const todayOf = (page) =>
  page.evaluate(() => {
    const now = new Date();
    return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((n) => String(n).padStart(2, '0')).join('-');
  });
