import { RoundhouseError } from '#schemas/errors';

const [quote, backslash, comma, openBracket, openBrace, closeBracket, closeBrace] = Buffer.from('"\\,[{]}');

/** No body of ours is nested deeper than 7. */
const MAX_DEPTH = 64;

export interface ElementLimits {
  /** Values and names together are at most about twice as many. */
  readonly maxElements: number;
}

/** Where the string that begins at `from` ends; the length where it doesn't. */
function endOfString(bytes: Buffer, from: number): number {
  let at = from + 1;
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1;
  return at;
}

/**
 * Counts the elements of a JSON text without parsing it, since millions of tiny ones take seconds and
 * hundreds of megabytes to parse. Throws ROUND_TOO_LARGE where they are too many or nested too deep.
 */
export function requireShape(bytes: Buffer, { maxElements }: ElementLimits): void {
  let elements = 1;
  let depth = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === comma) elements += 1;
    else if (byte === openBracket || byte === openBrace) {
      elements += 1;
      depth += 1;
    } else if (byte === closeBracket || byte === closeBrace) depth -= 1;
    if (depth > MAX_DEPTH) throw tooLarge(`nested more than ${MAX_DEPTH} deep`);
    if (elements > maxElements) throw tooLarge(`of more than ${maxElements} JSON values`);
  }
}

const tooLarge = (what: string) => new RoundhouseError('ROUND_TOO_LARGE', `a body ${what}`);

/** A courier or order with all its lists full has about 100 values; what is outside of them has fewer than 1,000. */
export function elementsOf({ maxCouriers, maxOrders }: { maxCouriers: number; maxOrders: number }): number {
  return 10_000 + 128 * (maxCouriers + maxOrders);
}
