import { shownText } from '#schemas/shown-text';

/** The last lines of a stream, `mostLength` UTF-16 units at most. */
export class TextTail {
  private readonly lines: string[] = [];
  private length = 0;

  constructor(
    private readonly mostLength: number,
    private readonly mostLineLength = 1_000,
  ) {}

  add(line: string): void {
    const shown = shownText(line, this.mostLineLength);
    this.lines.push(shown);
    this.length += shown.length + 1;
    while (this.length > this.mostLength) this.length -= this.lines.shift()!.length + 1;
  }

  /** The last line that is not part of a stack trace. */
  last(): string {
    return this.lines.findLast((line) => line.trim() !== '' && !/^\s+at /.test(line)) ?? '';
  }

  text(): string {
    return this.lines.join('\n');
  }
}
