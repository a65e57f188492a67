/** The answer as Markdown: the sentence, the memory line by line and the first machines, for an issue or a chat. */
import { isRentable } from './machines.js';

/** @typedef {import('./context.d.ts').Context} Context */

const MACHINES = 10;

/**
 * @param {Pick<Context, 't' | 'fmt' | 'answer' | 'machines' | 'catalog'>} ctx
 * @param {string} sentence
 * @param {string} address of the page with its state
 */
export function markdown({ t, fmt, answer, machines, catalog }, sentence, address) {
  if (!answer) return '';
  const { selected, model, currency } = answer;
  const out = [`**${t('brand')}** · ${model.name} · ${t(`option.task.${answer.request.task}`)}`, '', sentence, ''];
  if (selected) {
    out.push(`| ${t('memory.part')} | ${t('memory.size')} | ${t('memory.range')} |`, '| --- | ---: | ---: |');
    out.push(
      ...selected.lines.map((line) => `| ${t(`line.${line.id}`)} | ${fmt.gib(line.bytes)} | ${fmt.band(line)} |`),
    );
    out.push(
      `| **${t('memory.total')}** (${selected.label}) | **${fmt.gib(selected.total.value)}** | ${fmt.band(selected.total)} |`,
      '',
    );
  }
  const rows = machines.filter(isRentable).slice(0, MACHINES);
  if (rows.length) {
    out.push(
      `| ${t('column.machine')} | ${t('column.accelerators')} | ${t('column.price')} | ${t('column.date')} |`,
      '| --- | --- | ---: | --- |',
    );
    out.push(
      ...rows.map(({ row, offer, shape }) => {
        const price = row.price_per_h === null ? '–' : fmt.hourly(row.price_per_h, currency);
        return `| ${offer.provider} ${offer.machine} (${offer.region}) | ${fmt.number(shape.count)} × ${shape.label} | ${price} | ${fmt.date(offer.as_of)} |`;
      }),
      '',
    );
  }
  out.push(
    t('footer.made_with', {
      version: answer.engine.version,
      date: fmt.date(catalog.date),
      machines: catalog.offers.length,
      models: catalog.models.length,
    }),
  );
  if (address) out.push('', address);
  return `${out.join('\n').replaceAll('<', '&lt;')}\n`;
}
