/** Entry of the page: starts the engine, then the calculator. Bundled into one classic script by pack.mjs. */
import factory from 'rigsizer-glue';
import { ModelPicker } from './elements/model-picker.js';
import { RigSizer } from './elements/rig-sizer.js';
import { startEngine } from './engine.js';
import { blockOf } from './packed.js';
import en from './strings/en.json' with { type: 'json' };
import zh from './strings/zh-CN.json' with { type: 'json' };

/**
 * @param {string} name
 * @param {CustomElementConstructor} element
 */
function define(name, element) {
  if (!customElements.get(name)) customElements.define(name, element);
}

async function start() {
  const engine = await startEngine(document, factory);
  define('rig-model-picker', ModelPicker);
  define('rig-sizer', RigSizer);
  const calculator = /** @type {RigSizer | null} */ (document.querySelector('rig-sizer'));
  calculator?.begin(engine, { en, 'zh-CN': zh }, blockOf(document, 'accuracy'));
}

start().catch((error) => {
  const place = document.querySelector('rig-sizer');
  const words = document.documentElement.lang.startsWith('zh') ? zh : en;
  if (place) place.textContent = `${words['start.failed']} (${error instanceof Error ? error.message : error})`;
});
