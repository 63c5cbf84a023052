/** A field of a configuration in protobuf's text format, with the place of its value: line and column from 1. */
export interface ConfigField {
  readonly name: string;
  /** Of a number or a word; of a text with its quotes; '' of a message. */
  readonly value: string;
  /** Of a message. */
  readonly fields: readonly ConfigField[];
  readonly line: number;
  readonly column: number;
}

interface Token {
  readonly text: string;
  readonly line: number;
  readonly column: number;
}

export const deepest = 50;

/** Messages in messages beyond `deepest`. */
export class TooDeep extends Error {
  constructor(
    readonly line: number,
    readonly column: number,
  ) {
    super(`more than ${deepest} messages in one another`);
  }
}

const token = /#[^\n]*|"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?|[\w.+-]+|[^\s\w]/g;
const name = /^[A-Za-z_]\w*$/;
const opens = /^[{<]$/;
const closes = /^[}>]$/;

function tokensOf(text: string): Token[] {
  return text
    .split('\n')
    .flatMap((words, line) =>
      [...words.matchAll(token)]
        .filter(([word]) => !word.startsWith('#'))
        .map((match) => ({ text: match[0], line: line + 1, column: match.index + 1 })),
    );
}

class Reader {
  private at = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  /** Up to the end of the message that they are in. */
  fields(depth: number): ConfigField[] {
    const fields: ConfigField[] = [];
    for (let next = this.take(); next !== undefined && !closes.test(next.text); next = this.take()) {
      if (name.test(next.text)) this.field(next.text, depth, fields);
    }
    return fields;
  }

  private field(of: string, depth: number, into: ConfigField[]): void {
    const hasColon = this.skip(/^:$/);
    if (this.skip(/^\[$/)) {
      while (this.at < this.tokens.length && !this.skip(/^\]$/)) {
        if (!this.skip(/^,$/)) into.push(this.valueOf(of, depth));
      }
    } else if (hasColon || opens.test(this.tokens[this.at]?.text ?? '')) {
      if (this.at < this.tokens.length) into.push(this.valueOf(of, depth));
    }
  }

  private valueOf(of: string, depth: number): ConfigField {
    const { text, line, column } = this.take()!;
    if (!opens.test(text)) return { name: of, value: text, fields: [], line, column };
    if (depth >= deepest) throw new TooDeep(line, column);
    return { name: of, value: '', fields: this.fields(depth + 1), line, column };
  }

  private take(): Token | undefined {
    return this.tokens[this.at++];
  }

  private skip(what: RegExp): boolean {
    const there = what.test(this.tokens[this.at]?.text ?? '');
    if (there) this.at += 1;
    return there;
  }
}

/**
 * The fields of a configuration; a list is its field as often as it has values. Takes whatever the core's parser takes,
 * and more: what is wrong in a text is the core's to say. Throws TooDeep.
 */
export function fieldsOf(text: string): ConfigField[] {
  return new Reader(tokensOf(text)).fields(0);
}

/** A whole number as the core reads it: decimal, hexadecimal or octal; null for anything else. */
export function wholeNumber(value: string): number | null {
  if (/^0[0-7]+$/.test(value)) return Number(`0o${value.slice(1)}`);
  return /^-?(?:\d+|0[xX][0-9a-fA-F]+)$/.test(value) ? Number(value) : null;
}
