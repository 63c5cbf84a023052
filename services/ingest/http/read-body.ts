import type { IncomingMessage } from 'node:http';
import { RoundhouseError } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import type { BodyShare } from '../read/body-budget';
import { parseJson } from '../read/parse-json';
import type { ElementLimits } from '../read/json-shape';

/** A body above the limit is read on and thrown away up to this many times the limit, so that the caller hears why. */
const DRAIN_FACTOR = 4;

async function collect(request: IncomingMessage, limit: number, share: BodyShare): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isKept = true;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    isKept = isKept && bytes <= limit && share.take(chunk.length);
    if (isKept) chunks.push(chunk);
    else {
      chunks.length = 0;
      share.release();
    }
    if (bytes > DRAIN_FACTOR * limit) break;
  }
  if (bytes > limit) {
    throw new RoundhouseError('ROUND_TOO_LARGE', `a body of more than ${limit} bytes`);
  }
  if (!isKept) throw share.refusal();
  return Buffer.concat(chunks);
}

/** The type may be absent; anything but JSON in UTF-8 was meant for somebody else. */
export function requireJsonType(contentType: string | undefined): void {
  if (contentType === undefined || /^\s*application\/json\s*(;|$)/i.test(contentType)) {
    const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType ?? '')?.[1] ?? 'utf-8';
    if (/^(utf-?8|us-ascii)$/i.test(charset)) return;
  }
  const shown = shownText(contentType ?? '', 100);
  throw new RoundhouseError(
    'CONTENT_TYPE_UNSUPPORTED',
    `content-type ${shown}: send application/json in UTF-8`,
  );
}

function requireReadable(request: IncomingMessage, limit: number): void {
  requireJsonType(request.headers['content-type']);
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new RoundhouseError('PAYLOAD_INVALID', `content-encoding ${encoding}: send the body as it is`);
  }
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > DRAIN_FACTOR * limit) {
    throw new RoundhouseError('ROUND_TOO_LARGE', `a body of ${announced} bytes, limit ${limit}`);
  }
}

export interface BodyLimits extends ElementLimits {
  readonly maxBytes: number;
}

/**
 * The bytes of a body of JSON, taken from the share until the caller releases it. Rejects with ROUND_TOO_LARGE,
 * INGEST_BUSY, CONTENT_TYPE_UNSUPPORTED or PAYLOAD_INVALID.
 */
export async function readBytes(
  request: IncomingMessage,
  maxBytes: number,
  share: BodyShare,
): Promise<Buffer> {
  requireReadable(request, maxBytes);
  return collect(request, maxBytes, share);
}

/** The same, parsed. */
export async function readJson(
  request: IncomingMessage,
  limits: BodyLimits,
  share: BodyShare,
): Promise<unknown> {
  return parseJson(await readBytes(request, limits.maxBytes, share), limits);
}
