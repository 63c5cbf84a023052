import type { IncomingMessage } from 'node:http';
import { RoundhouseError } from '#schemas/errors';

/** A body above the limit is read on and thrown away up to this many times the limit, so that the caller hears why. */
const DRAIN_FACTOR = 4;

async function collect(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= limit) chunks.push(chunk);
    else chunks.length = 0;
    if (bytes > DRAIN_FACTOR * limit) break;
  }
  if (bytes > limit) {
    throw new RoundhouseError('ROUND_TOO_LARGE', `a body of more than ${limit} bytes`);
  }
  return Buffer.concat(chunks);
}

function requireReadable(request: IncomingMessage, limit: number): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new RoundhouseError('PAYLOAD_INVALID', `content-encoding ${encoding}: send the body as it is`);
  }
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > DRAIN_FACTOR * limit) {
    throw new RoundhouseError('ROUND_TOO_LARGE', `a body of ${announced} bytes, limit ${limit}`);
  }
}

/** The parsed JSON of a body. Rejects with ROUND_TOO_LARGE or PAYLOAD_INVALID. */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  requireReadable(request, limit);
  const bytes = await collect(request, limit);
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown;
  } catch (error) {
    throw new RoundhouseError('PAYLOAD_INVALID', `the body is no JSON: ${(error as Error).message}`, [], {
      cause: error,
    });
  }
}
