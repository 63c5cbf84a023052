import type { ServerResponse } from 'node:http';
import { errorCodes, type RoundhouseError } from '#schemas/errors';
import { QuotaExceeded } from '#lib/access/quota-exceeded';
import { errorBody, knownError } from '../error-body';

export function reply(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

export function replyJson(response: ServerResponse, status: number, body: object): void {
  reply(response, status, JSON.stringify(body));
}

/** An error body with the status of the error table. */
export function replyError(response: ServerResponse, error: unknown): RoundhouseError {
  const known = knownError(error);
  const status = errorCodes[known.code].http ?? 500;
  const headers: Record<string, string> = status === 503 ? { 'retry-after': '1' } : {};
  if (known instanceof QuotaExceeded) headers['retry-after'] = String(Math.ceil(known.waitMs / 1_000));
  if (status === 401) headers['www-authenticate'] = 'Bearer realm="roundhouse"';
  // What is left of a body that was refused is not read; the connection can't be used again.
  if ([401, 403, 413, 429].includes(status)) headers['connection'] = 'close';
  reply(response, status, JSON.stringify(errorBody(known)), headers);
  return known;
}
