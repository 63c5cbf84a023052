import type { ErrorCode } from '#schemas/errors';

/** V8 quotes what it can't parse: the caller may see it, a log may not, since it may be where somebody lives. */
const excerpt = /,? ?\.{0,3}"[^]*"\.{0,3} is not valid JSON/;

/** What a log says of a refusal. */
export function loggedReason(code: ErrorCode, message: string): string {
  if (code === 'PAYLOAD_INVALID') return message.replace(excerpt, ' is not valid JSON').slice(0, 500);
  return message.slice(0, 500);
}
