/** What the answer was computed with, from which data, under which licences. */
import { html, nothing } from 'lit';
import { link } from './source.js';

/** @typedef {import('../context.d.ts').Context} Context */

const DAY_MS = 86_400_000;
/** Days after which the catalog is called old. */
const STALE_DAYS = 90;

/** @param {Context} ctx */
export function staleBanner(ctx) {
  const days = Math.floor((Date.parse(ctx.today) - Date.parse(ctx.catalog.date)) / DAY_MS);
  if (!(days > STALE_DAYS)) return nothing;
  return html`<p class="banner" role="note">${ctx.t('banner.stale', { date: ctx.fmt.date(ctx.catalog.date), count: days })}</p>`;
}

/** @param {Context} ctx */
export function footerView(ctx) {
  const { t, fmt, catalog } = ctx;
  const version = ctx.answer?.engine.version;
  return html`<footer>
    <p>${t('footer.made_with', { version: version ?? '–', date: fmt.date(catalog.date), machines: catalog.offers.length, models: catalog.models.length })}</p>
    <p>${t('footer.licences')}</p>
    <p>${t('footer.limits')}</p>
    ${location.protocol.startsWith('http') ? html`<p class="print-only">${location.href}</p>` : nothing}
    <details class="sources">
      <summary>${t('footer.sources', { count: Object.keys(catalog.sources).length })}</summary>
      <ul>${Object.entries(catalog.sources).map(
        ([
          key,
          source,
        ]) => html`<li id="source-${key}"><span lang="en">${source.url ? link(source.url, source.title) : source.title}</span>
          <small>${source.date ? `${fmt.date(source.date)} · ` : nothing}${source.license}</small></li>`,
      )}</ul>
    </details>
  </footer>`;
}
