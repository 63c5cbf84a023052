import { inspect } from 'node:util';

const shown = '(secret)';

/** Text that is read by `reveal()` alone: printed, logged or written as JSON it says only that it is one. */
export class Secret {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }

  [inspect.custom](): string {
    return shown;
  }
}

export const secretLimit = 'text of 1 to 4096 bytes without control characters';

export function isSecretText(text: string): boolean {
  const bytes = Buffer.byteLength(text);
  return bytes >= 1 && bytes <= 4_096 && !/[\u0000-\u001f\u007f]/.test(text);
}
