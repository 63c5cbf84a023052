import { randomBytes } from 'node:crypto';

const valid = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's W3C trace context if it is one, else a new one. */
export function traceParent(given: string | undefined): string {
  if (given !== undefined && valid.test(given)) return given;
  return `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
}
