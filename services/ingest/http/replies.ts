import type { ServerResponse } from 'node:http';
import { errorCodes, RoundhouseError } from '#schemas/errors';

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

/** `{error, message, faults}` with the status of the error table; faults of ours say no more than that. */
export function replyError(response: ServerResponse, error: unknown): RoundhouseError {
  const known = error instanceof RoundhouseError ? error : new RoundhouseError('INTERNAL', 'a fault of ours');
  const { retry, http } = errorCodes[known.code];
  const status = http ?? 500;
  const body = { error: known.code, message: known.message, retry, faults: known.faults };
  const headers: Record<string, string> = status === 503 ? { 'retry-after': '1' } : {};
  // What is left of a body that was too large is not read; the connection can't be used again.
  if (status === 413) headers['connection'] = 'close';
  reply(response, status, JSON.stringify(body), headers);
  return known;
}
