import { stateOf } from './command.mjs';

const clear = '\r\u001b[2K';
const everyMs = 1_000;
const elsewhereEveryMs = 30_000;

/**
 * On a terminal: a last line with the steps that run and how long each has been at it. Elsewhere, in a log, a
 * line of them every 30 s, with what each is at. `at` gives that of a step, or null.
 */
export class LiveLine {
  #running = new Map();
  #timer = null;
  #isShown = false;

  constructor(output = process.stderr, now = Date.now, at = stateOf) {
    this.output = output;
    this.now = now;
    this.at = at;
  }

  begin(name) {
    this.#running.set(name, this.now());
    if (this.output.isTTY) this.draw();
    const show = this.output.isTTY ? () => this.draw() : () => this.tell();
    this.#timer ??= setInterval(show, this.output.isTTY ? everyMs : elsewhereEveryMs).unref();
  }

  end(name) {
    this.#running.delete(name);
    if (this.#running.size > 0) return;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    this.#erase();
  }

  /** A line that stays, above the live one. */
  line(text) {
    this.#erase();
    this.output.write(`${text}\n`);
    if (this.#running.size > 0 && this.output.isTTY) this.draw();
  }

  draw() {
    const steps = [...this.#running.keys()].map((name) => this.#shown(name));
    const width = Math.max(20, (this.output.columns || 80) - 1);
    const text = `  … ${steps.join(' · ')}`;
    this.output.write(`${clear}${text.length > width ? `${text.slice(0, width - 1)}…` : text}`);
    this.#isShown = true;
  }

  /** What a log gets in place of the live line. */
  tell() {
    const steps = [...this.#running.keys()].map((name) => {
      const at = this.at(name);
      return at === null ? this.#shown(name) : `${this.#shown(name)} (${at})`;
    });
    this.output.write(`  … ${steps.join(' · ')}\n`);
  }

  #shown(name) {
    return `${name} ${Math.round((this.now() - this.#running.get(name)) / 1000)} s`;
  }

  #erase() {
    if (this.#isShown) this.output.write(clear);
    this.#isShown = false;
  }
}
