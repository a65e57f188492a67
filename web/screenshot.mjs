/**
 * Pictures of the page for the README: `node web/screenshot.mjs FOLDER`.
 * Both languages, wide and narrow, light and dark; PNG with few colours, so that each stays small.
 */
import { mkdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { CHROMIUM } from './chromium.mjs';

const PAGE = fileURLToPath(new URL('../dist/index.html', import.meta.url));
const MOST_BYTES = 200_000;

/** @type {{ name: string, width: number, height: number, scheme: 'light' | 'dark', hash: string }[]} */
const SHOTS = [
  {
    name: 'wide-light-en',
    width: 1200,
    height: 780,
    scheme: 'light',
    hash: 'model=llama-3-8b&task=lora&sequence=2048&lang=en',
  },
  {
    name: 'wide-dark-zh',
    width: 1200,
    height: 780,
    scheme: 'dark',
    hash: 'model=qwen-14b&task=lora&sequence=2048&currency=CNY&lang=zh-CN',
  },
  {
    name: 'narrow-light-zh',
    width: 390,
    height: 844,
    scheme: 'light',
    hash: 'model=llama-3.1-70b&task=serve&currency=CNY&lang=zh-CN',
  },
  { name: 'narrow-dark-en', width: 390, height: 844, scheme: 'dark', hash: 'model=llama-3-8b&task=qlora&lang=en' },
];

const folder = resolve(process.argv[2] ?? 'screenshots');
await mkdir(folder, { recursive: true });
const browser = await chromium.launch(CHROMIUM);
for (const { name, width, height, scheme, hash } of SHOTS) {
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
  await page.goto(`${pathToFileURL(PAGE)}#${hash}`);
  await page.locator('.verdict .sentence').waitFor();
  const path = join(folder, `${name}.png`);
  await page.screenshot({ path });
  const { size } = await stat(path);
  console.log(`${path} ${(size / 1000).toFixed(0)} kB${size > MOST_BYTES ? ' (too large for the README)' : ''}`);
  await page.close();
}
await browser.close();
