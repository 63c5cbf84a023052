import { shownText } from '#schemas/shown-text';
import { invalid, type HttpFault } from './http-fault';

/** Integers that no number holds exactly are bigint. Objects are maps: a key is only a key. */
export type Json = null | boolean | number | bigint | string | readonly Json[] | JsonObject;
export type JsonObject = ReadonlyMap<string, Json>;

export const mostDepth = 64;
/** A request has one for itself and a few for each tensor; millions would only cost time. */
export const mostObjects = 10_000;
/** Integers of so many digits are exact as numbers. */
const smallDigits = 15;
/** Beyond it an integer is read as a double: no datatype holds it anyway. */
const mostDigits = 40;

const plain = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const escapes = new Map([
  ['"', '"'],
  ['\\', '\\'],
  ['/', '/'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
const words: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
];

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
/** Digits, signs, points and exponents. */
const isNumeric = (code: number): boolean =>
  isDigit(code) || code === 45 || code === 46 || code === 43 || code === 101 || code === 69;

class Parser {
  private at = 0;
  private depth = 0;
  private objects = 0;

  constructor(private readonly text: string) {}

  document(): Json {
    const value = this.value();
    this.space();
    if (this.at < this.text.length) throw this.fault('something after the end');
    return value;
  }

  private fault(what: string): HttpFault {
    return invalid(`JSON, character ${this.at}: ${what}`);
  }

  private space(): void {
    while (isSpace(this.text.charCodeAt(this.at))) this.at += 1;
  }

  private value(): Json {
    this.space();
    const code = this.text.charCodeAt(this.at);
    if (isDigit(code)) return this.smallInteger() ?? this.number();
    if (code === 0x22) return this.string();
    if (code === 0x2d && isDigit(this.text.charCodeAt(this.at + 1))) return this.number();
    if (code === 0x5b) return this.nested(() => this.array());
    if (code === 0x7b) return this.nested(() => this.object());
    for (const [word, value] of words) {
      if (!this.text.startsWith(word, this.at)) continue;
      this.at += word.length;
      return value;
    }
    if (code === 0x2d) return this.number();
    throw this.fault(this.at < this.text.length ? 'no value begins here' : 'the text ends too soon');
  }

  private nested<T>(read: () => T): T {
    if ((this.depth += 1) > mostDepth) throw this.fault(`nested deeper than ${mostDepth}`);
    this.at += 1;
    const value = read();
    this.depth -= 1;
    return value;
  }

  /** True where `close` stands; false after a comma. */
  private ends(close: number): boolean {
    this.space();
    const code = this.text.charCodeAt(this.at);
    if (code !== close && code !== 0x2c) throw this.fault(`expected , or ${String.fromCharCode(close)}`);
    this.at += 1;
    return code === close;
  }

  private isEmpty(close: number): boolean {
    this.space();
    if (this.text.charCodeAt(this.at) !== close) return false;
    this.at += 1;
    return true;
  }

  private array(): Json[] {
    const values: Json[] = [];
    if (this.isEmpty(0x5d)) return values;
    do values.push(this.value());
    while (!this.ends(0x5d));
    return values;
  }

  private object(): JsonObject {
    if ((this.objects += 1) > mostObjects) throw this.fault(`more than ${mostObjects} objects`);
    const entries = new Map<string, Json>();
    if (this.isEmpty(0x7d)) return entries;
    do {
      this.space();
      if (this.text.charCodeAt(this.at) !== 0x22) throw this.fault('expected a key');
      const key = this.string();
      if (entries.has(key)) throw this.fault(`the key "${shownText(key, 60)}" stands there twice`);
      this.space();
      if (this.text.charCodeAt(this.at) !== 0x3a) throw this.fault('expected :');
      this.at += 1;
      entries.set(key, this.value());
    } while (!this.ends(0x7d));
    return entries;
  }

  /** undefined where something else stands there; most tensors are made of these. */
  private smallInteger(): number | undefined {
    let at = this.at;
    let value = 0;
    for (let code = this.text.charCodeAt(at); isDigit(code); code = this.text.charCodeAt(at)) {
      value = 10 * value + code - 48;
      at += 1;
    }
    const digits = at - this.at;
    const isOther = isNumeric(this.text.charCodeAt(at)) || digits > smallDigits;
    if (isOther || (digits > 1 && this.text.charCodeAt(this.at) === 48)) return undefined;
    this.at = at;
    return value;
  }

  private number(): number | bigint {
    const from = this.at;
    while (isNumeric(this.text.charCodeAt(this.at))) this.at += 1;
    const token = this.text.slice(from, this.at);
    if (!plain.test(token)) {
      this.at = from;
      throw this.fault(`"${shownText(token, 40)}" is no number`);
    }
    const value = Number(token);
    if (Number.isSafeInteger(value) || token.length > mostDigits) return value;
    return /^-?\d+$/.test(token) ? BigInt(token) : value;
  }

  private string(): string {
    this.at += 1;
    const parts: string[] = [];
    for (let from = this.at; ;) {
      const code = this.text.charCodeAt(this.at);
      if (code === 0x22) {
        parts.push(this.text.slice(from, this.at));
        this.at += 1;
        return parts.length === 1 ? parts[0]! : parts.join('');
      }
      if (Number.isNaN(code)) throw this.fault('a string has no end');
      if (code < 0x20) throw this.fault('a control character in a string');
      this.at += 1;
      if (code !== 0x5c) continue;
      parts.push(this.text.slice(from, this.at - 1), this.escape());
      from = this.at;
    }
  }

  /** After the backslash. */
  private escape(): string {
    const letter = this.text.charAt(this.at);
    this.at += 1;
    const simple = escapes.get(letter);
    if (simple !== undefined) return simple;
    const digits = this.text.slice(this.at, this.at + 4);
    if (letter !== 'u' || !/^[0-9a-fA-F]{4}$/.test(digits)) throw this.fault('an unknown escape');
    this.at += 4;
    return String.fromCharCode(parseInt(digits, 16));
  }
}

/**
 * JSON with Triton's NaN, Infinity and -Infinity. Throws an HttpFault of 400 that says where it is wrong; a
 * key that comes twice and nesting deeper than `mostDepth` are wrong too.
 */
export function parseExactJson(bytes: Uint8Array): Json {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('the JSON is no UTF-8');
  }
  return new Parser(text).document();
}
