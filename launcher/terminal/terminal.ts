import { shownText } from '#schemas/shown-text';

/** Where lines go; on a TTY the last status line is overwritten by what follows it. */
export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

const clearLine = '\r\u001b[2K';

export class Terminal {
  private hasStatus = false;

  constructor(private readonly output: Output) {}

  /** A line that stays. */
  line(text: string): void {
    this.output.write(`${this.takeStatus()}${text}\n`);
  }

  /** Progress: replaced by the next line on a TTY, a plain line elsewhere. */
  status(text: string): void {
    if (!this.output.isTTY) return this.line(text);
    // A terminal that was never told its size has 0 columns.
    const width = Math.max(20, this.output.columns || 80) - 1;
    const shown = shownText(text, text.length > width ? width - 1 : width);
    this.output.write(`${this.takeStatus()}${shown}`);
    this.hasStatus = true;
  }

  /** Takes a status line away: what comes next is not ours. */
  clear(): void {
    this.output.write(this.takeStatus());
  }

  private takeStatus(): string {
    const clear = this.hasStatus ? clearLine : '';
    this.hasStatus = false;
    return clear;
  }
}
