/** Where a fact comes from: keys of the catalog's sources become titles, and addresses become links. Nothing is fetched. */
import { html } from 'lit';

/** @typedef {import('../context.d.ts').Context} Context */

/** A public repository named in words, such as `github.com/owner/name: path`. */
const REPOSITORY = /\bgithub\.com\/[\w.-]+\/[\w.-]*[\w-]/g;

/**
 * @param {Context} ctx
 * @param {string | null | undefined} source one or more keys joined by `+`, an address, or plain words
 */
export function sourceView(ctx, source) {
  if (!source) return html`<span class="source">–</span>`;
  const keys = source.split('+').map((key) => key.trim());
  const known = keys.every((key) => ctx.catalog.sources[key]);
  const text = known ? keys.map((key, index) => [index ? ', ' : '', keyed(ctx, key)]) : words(source);
  return html`<span class="source" lang="en">${text}</span>`;
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
function words(text) {
  if (/^https:\/\/\S+$/.test(text)) return [link(text, text.replace('https://', ''))];
  const names = text.match(REPOSITORY) ?? [];
  return text
    .split(REPOSITORY)
    .map((rest, index) => [rest, names[index] ? link(`https://${names[index]}`, names[index]) : '']);
}

/**
 * @param {string} url
 * @param {string} title
 */
export const link = (url, title) => html`<a href=${url} rel="noopener noreferrer external">${title}</a>`;
