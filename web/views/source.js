/** Where a fact comes from: keys of the catalog's sources become titles, with a link where there is an address. */
import { html } from 'lit';

/** @typedef {import('../context.d.ts').Context} Context */

/**
 * @param {Context} ctx
 * @param {string | null | undefined} source one or more keys joined by `+`, an address, or plain words
 */
export function sourceView(ctx, source) {
  if (!source) return html`<span class="source">–</span>`;
  const keys = source.split('+').map((key) => key.trim());
  const known = keys.every((key) => ctx.catalog.sources[key]);
  return html`<span class="source">${known ? keys.map((key, index) => [index ? ', ' : '', keyed(ctx, key)]) : address(source)}</span>`;
}

/**
 * @param {Context} ctx
 * @param {string} key
 */
function keyed(ctx, key) {
  const { title, url } = ctx.catalog.sources[key];
  return url ? link(url, title) : title;
}

/** @param {string} text */
function address(text) {
  return /^https:\/\/\S+$/.test(text) ? link(text, text.replace('https://', '')) : text;
}

/**
 * @param {string} url
 * @param {string} title
 */
export const link = (url, title) => html`<a href=${url} rel="noopener noreferrer external">${title}</a>`;
