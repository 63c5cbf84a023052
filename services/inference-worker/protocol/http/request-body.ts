import type { IncomingMessage } from 'node:http';
import { createGunzip, createInflate } from 'node:zlib';
import { shownText } from '#schemas/shown-text';
import { HttpFault, invalid, unavailable } from './http-fault';

export interface BodyLimits {
  /** Of one body, packed and unpacked. */
  readonly maxBodyBytes: number;
  /** Of all that are under way. */
  readonly maxBytesAtOnce: number;
}

const unpackers = new Map([
  ['gzip', createGunzip],
  ['deflate', createInflate],
]);

type Take = (bytes: number) => void;

/** What was sent too much is thrown away for so long, so that the sender hears why. */
const drainMs = 2_000;

/** Reads bodies within the limits; what has come of all of them together is bounded too. */
export class BodyReader {
  private atOnce = 0;

  constructor(private readonly limits: BodyLimits) {}

  get bytesUnderWay(): number {
    return this.atOnce;
  }

  /** Hands the body to `work`; its bytes count until that is done. */
  async with<T>(request: IncomingMessage, work: (body: Buffer) => Promise<T>): Promise<T> {
    let own = 0;
    const take: Take = (bytes) => {
      own += bytes;
      this.atOnce += bytes;
      if (this.atOnce > this.limits.maxBytesAtOnce) {
        const limit = `${this.limits.maxBytesAtOnce} bytes`;
        throw unavailable(`bodies of more than ${limit} are under way`);
      }
    };
    try {
      const packed = await this.collect(request, take);
      return await work(await this.unpack(request, packed, take));
    } finally {
      this.atOnce -= own;
    }
  }

  private async collect(request: IncomingMessage, take: Take): Promise<Buffer> {
    const announced = Number(request.headers['content-length'] ?? 0);
    if (announced > this.limits.maxBodyBytes) throw this.tooLarge(`${announced} bytes`);
    return this.gather(request.iterator({ destroyOnReturn: false }), 'more bytes', take);
  }

  private async gather(stream: AsyncIterable<Buffer>, tooMuch: string, take: Take): Promise<Buffer> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (bytes > this.limits.maxBodyBytes) throw this.tooLarge(tooMuch);
      take(chunk.length);
      chunks.push(chunk);
    }
    return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
  }

  /** Counted as it grows: a small body may become a large one, and many may at the same time. */
  private async unpack(request: IncomingMessage, packed: Buffer, take: Take): Promise<Buffer> {
    const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
    if (encoding === 'identity') return packed;
    const create = unpackers.get(encoding);
    if (create === undefined) {
      throw new HttpFault(415, `content-encoding "${shownText(encoding, 60)}": gzip and deflate are read`);
    }
    const unpacker = create();
    unpacker.end(packed);
    try {
      return await this.gather(unpacker, 'more unpacked', take);
    } catch (error) {
      if (error instanceof HttpFault) throw error;
      throw invalid(`content-encoding: the body is no ${encoding}: ${(error as Error).message}`);
    }
  }

  private tooLarge(what: string): HttpFault {
    const limit = `ROUNDHOUSE_WORKER_KSERVE_MAX_BODY_BYTES is ${this.limits.maxBodyBytes}`;
    return new HttpFault(413, `the body has ${what}, ${limit}`);
  }
}

/** Reads what is left and forgets it, for a while: a sender that is cut off wouldn't hear why. */
export function drain(request: IncomingMessage): void {
  const cut = setTimeout(() => request.destroy(), drainMs);
  request.once('close', () => clearTimeout(cut));
  request.once('end', () => clearTimeout(cut));
  request.on('error', () => undefined);
  request.resume();
}
