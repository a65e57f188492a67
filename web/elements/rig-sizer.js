/**
 * `<rig-sizer>`: the calculator. Its attributes are the state (see fields.js), so a page saved by the browser keeps the
 * reader's words; the link's hash mirrors them. Views are pure functions of one context, drawn into the light DOM.
 * Starting is idempotent: whatever an earlier run left inside is replaced.
 */
import { html, nothing, render } from 'lit';
import { formatsFor } from '../format.js';
import { History } from '../history.js';
import { translator } from '../i18n.js';
import { join } from '../machines.js';
import { markdown } from '../markdown.js';
import { figuresOf, readAccuracy } from '../measured.js';
import { planRequest } from '../request.js';
import { fromAttributes, fromHash, merge, sameState, textOf, toAttributes, toHash } from '../state.js';
import { accuracyView } from '../views/accuracy.js';
import { footerView, staleBanner } from '../views/footer.js';
import { formView } from '../views/form.js';
import { headerView } from '../views/header.js';
import { memoryView } from '../views/memory.js';
import { offersView, PAGE } from '../views/offers.js';
import { startsView } from '../views/starts.js';
import { verdictView } from '../views/verdict.js';
import { whyNotView } from '../views/whynot.js';
import { copyText, download, serialised } from './take-along.js';

/**
 * @typedef {import('../context.d.ts').Context} Context
 * @typedef {import('../context.d.ts').Ui} Ui
 * @typedef {import('../state.js').State} State
 * @typedef {import('../state.js').Value} Value
 * @typedef {import('../i18n.js').Strings} Strings
 * @typedef {import('../../wasm/rigsizer.d.ts').RigsizerEngine} RigsizerEngine
 */

/** How long the reader must pause before the new answer is read out. */
const SPEAK_AFTER_MS = 700;

/** Not asked of the engine: the reader has only just opened the box for a config.json. */
const NO_CONFIG = { error: { code: 'config_empty', path: '/model/config_text', message: '', hint: '' } };

/** @type {Ui} */
const CLOSED = {
  shown: PAGE,
  lines: new Set(),
  groups: new Set(),
  said: '',
  accuracy: { open: false, figure: '', rows: 'all', row: '' },
};

export class RigSizer extends (globalThis.HTMLElement ?? Object) {
  /** @type {State} */
  #state = Object.freeze({});
  #ui = CLOSED;
  #history = new History();
  /** @type {RigsizerEngine | null} */
  #engine = null;
  /** @type {Record<string, Strings>} */
  #strings = {};
  /** @type {Context['catalog'] | null} */
  #catalog = null;
  /** @type {Pick<Context, 'answer' | 'failure' | 'machines'>} */
  #result = { answer: null, failure: null, machines: [] };
  #asked = '';
  #measured = '';
  /** @type {ReturnType<Context['accuracy']> | undefined} */
  #accuracy;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #speaking;

  /**
   * @param {RigsizerEngine} engine
   * @param {Record<string, Strings>} strings by language
   * @param {string} measured packed, see measured.js
   */
  begin(engine, strings, measured) {
    this.#engine = engine;
    this.#strings = strings;
    this.#measured = measured;
    this.#catalog = engine.catalog();
    this.#state = fromHash(location.hash) ?? fromAttributes(this) ?? firstState();
    this.replaceChildren(); // a saved page holds the view of the time it was saved
    this.#show();
    addEventListener('hashchange', this.#onHash);
    document.addEventListener('keydown', this.#onKey);
  }

  disconnectedCallback() {
    removeEventListener('hashchange', this.#onHash);
    document.removeEventListener('keydown', this.#onKey);
  }

  #onHash = () => {
    const state = fromHash(location.hash);
    if (state && !sameState(state, this.#state)) this.#become(state);
  };

  /** @param {KeyboardEvent} event */
  #onKey = (event) => {
    const typing =
      event.target instanceof HTMLElement &&
      event.target.matches('input[type=text], input[type=search], input[type=number], textarea');
    if ((event.ctrlKey || event.metaKey) && !event.shiftKey && event.key === 'z' && !typing) {
      event.preventDefault();
      this.#undo();
    }
  };

  /** @param {Record<string, Value | undefined>} changes */
  #set(changes) {
    const next = merge(this.#state, forgetting(changes));
    if (sameState(next, this.#state)) return;
    this.#history.record(this.#state, Object.keys(changes), performance.now());
    this.#become(next);
  }

  #undo() {
    const before = this.#history.undo();
    if (before) this.#become(before);
  }

  #reset() {
    const { lang, currency } = this.#state;
    this.#set({ ...Object.fromEntries(Object.keys(this.#state).map((key) => [key, undefined])), lang, currency });
  }

  /** @param {State} state */
  #become(state) {
    this.#state = state;
    this.#ui = { ...this.#ui, said: '' };
    this.#show();
  }

  /** @param {Partial<Ui>} changes */
  #setUi(changes) {
    this.#ui = { ...this.#ui, ...changes };
    this.#draw();
  }

  /** From state to attributes, link, answer and view, in this order. */
  #show() {
    toAttributes(this, this.#state);
    writeHash(toHash(this.#state));
    this.#ask();
    this.#draw();
    clearTimeout(this.#speaking);
    this.#speaking = setTimeout(() => this.#speak(), SPEAK_AFTER_MS);
  }

  #ask() {
    if (!this.#engine || !this.#catalog) return;
    const request = planRequest(this.#state, today());
    const asked = JSON.stringify(request);
    if (asked === this.#asked) return;
    this.#asked = asked;
    const blank = textOf(this.#state, 'from') === 'config' && textOf(this.#state, 'config').trim() === '';
    const answer = blank ? NO_CONFIG : this.#engine.plan(request);
    if ('error' in answer) this.#result = { ...this.#result, failure: answer.error };
    else this.#result = { answer, failure: null, machines: join(answer, this.#catalog) };
  }

  /** @returns {Context} */
  #context() {
    const lang = textOf(this.#state, 'lang');
    const fmt = formatsFor(lang);
    return {
      ...translator(lang, this.#strings[lang], fmt),
      ...this.#result,
      fmt,
      state: this.#state,
      ui: this.#ui,
      catalog: /** @type {Context['catalog']} */ (this.#catalog),
      accuracy: () => (this.#accuracy ??= accuracyOf(this.#measured)),
      today: today(),
      canUndo: this.#history.canUndo,
      set: (changes) => this.#set(changes),
      setUi: (changes) => this.#setUi(changes),
      actions: {
        undo: () => this.#undo(),
        reset: () => this.#reset(),
        copyLink: () => this.#copy(location.href),
        copyMarkdown: () => this.#copy(markdown(this.#context(), this.#sentence, location.href)),
        saveCopy: () => download('rigsizer.html', 'text/html', serialised(document)),
      },
    };
  }

  get #sentence() {
    return (this.querySelector('.verdict .sentence')?.textContent ?? '').replace(/\s+/g, ' ').trim();
  }

  /** @param {string} text */
  async #copy(text) {
    const done = await copyText(text);
    const ctx = this.#context();
    this.#setUi({ said: ctx.t(done ? 'action.copied' : 'action.not_copied') });
  }

  #speak() {
    const region = this.querySelector('#spoken');
    if (region) region.textContent = this.querySelector('.verdict .failure')?.textContent ?? this.#sentence;
  }

  #draw() {
    const ctx = this.#context();
    document.documentElement.lang = textOf(this.#state, 'lang');
    document.title = ctx.t('title');
    const stale = ctx.failure !== null;
    render(
      html`${headerView(ctx)}${staleBanner(ctx)}
        <main>
          ${startsView(ctx)}
          ${formView(ctx)}
          <div class="answer">
            ${verdictView(ctx)}
            ${ctx.answer ? html`<div class=${stale ? 'results stale' : 'results'} ?inert=${stale}>${memoryView(ctx)}${offersView(ctx)}${whyNotView(ctx)}</div>` : nothing}
            ${accuracyView(ctx)}
          </div>
        </main>
        <p id="spoken" class="visually-hidden" aria-live="polite"></p>
        ${footerView(ctx)}`,
      this,
    );
  }
}

/**
 * A change of the question lets go of the chosen machine, so that the new answer shows its own best one.
 * @param {Record<string, Value | undefined>} changes
 */
function forgetting(changes) {
  const keeps = ['select', 'sort', 'find', 'show', 'lang', 'currency', 'rate-cny', 'rate-eur'];
  return Object.keys(changes).every((key) => keeps.includes(key)) ? changes : { select: undefined, ...changes };
}

/** @param {string} measured */
function accuracyOf(measured) {
  const data = readAccuracy(measured);
  return { data, figures: figuresOf(data) };
}

/** Language and currency of a first visit follow the browser; both are stated, so that a link means the same to all. */
function firstState() {
  const chinese = navigator.language.toLowerCase().startsWith('zh');
  return merge({}, chinese ? { lang: 'zh-CN', currency: 'CNY' } : {});
}

/** The reader's calendar day. */
function today() {
  const now = new Date();
  const two = (/** @type {number} */ n) => String(n).padStart(2, '0');
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

/** A sandboxed frame may refuse; the attributes still hold everything. @param {string} hash */
function writeHash(hash) {
  try {
    history.replaceState(null, '', hash);
  } catch {
    // no link then
  }
}
