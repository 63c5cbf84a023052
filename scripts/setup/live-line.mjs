const clear = '\r\u001b[2K';
const everyMs = 1_000;

/**
 * On a terminal: a last line with the steps that run and how long each has been at it. Elsewhere nothing but
 * the lines themselves.
 */
export class LiveLine {
  #running = new Map();
  #timer = null;
  #isShown = false;

  constructor(output = process.stderr, now = Date.now) {
    this.output = output;
    this.now = now;
  }

  begin(name) {
    this.#running.set(name, this.now());
    if (!this.output.isTTY) return;
    this.draw();
    this.#timer ??= setInterval(() => this.draw(), everyMs).unref();
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
    const steps = [...this.#running].map(
      ([name, since]) => `${name} ${Math.round((this.now() - since) / 1000)} s`,
    );
    const width = Math.max(20, (this.output.columns || 80) - 1);
    const text = `  … ${steps.join(' · ')}`;
    this.output.write(`${clear}${text.length > width ? `${text.slice(0, width - 1)}…` : text}`);
    this.#isShown = true;
  }

  #erase() {
    if (this.#isShown) this.output.write(clear);
    this.#isShown = false;
  }
}
