import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { deflateSync, gzipSync } from 'node:zlib';
import { BodyReader } from './request-body';

const mebibyte = 1_048_576;

function requestWith(body: Buffer, encoding?: string): IncomingMessage {
  const headers = encoding === undefined ? {} : { 'content-encoding': encoding };
  return Object.assign(Readable.from([body]), { headers }) as unknown as IncomingMessage;
}

const reader = () => new BodyReader({ maxBodyBytes: mebibyte, maxBytesAtOnce: 4 * mebibyte });
const text = (body: Buffer) => Promise.resolve(body.toString());

test('bodies as they are, and packed', async () => {
  const bodies = reader();
  expect(await bodies.with(requestWith(Buffer.from('plain')), text)).toBe('plain');
  expect(await bodies.with(requestWith(gzipSync('packed'), 'gzip'), text)).toBe('packed');
  expect(await bodies.with(requestWith(deflateSync('packed'), ' DEFLATE '), text)).toBe('packed');
  expect(await bodies.with(requestWith(gzipSync(''), 'gzip'), text)).toBe('');
  expect(bodies.bytesUnderWay).toBe(0);
});

test.each([
  [
    413,
    'the body has more unpacked, ROUNDHOUSE_WORKER_KSERVE_MAX_BODY_BYTES is 1048576',
    gzipSync(Buffer.alloc(mebibyte + 1)),
    'gzip',
  ],
  [
    400,
    'content-encoding: the body is no gzip: unexpected end of file',
    gzipSync('x'.repeat(99)).subarray(0, 15),
    'gzip',
  ],
  [400, 'content-encoding: the body is no deflate: incorrect header check', Buffer.from('xx'), 'deflate'],
  [415, 'content-encoding "br": gzip and deflate are read', Buffer.from('x'), 'br'],
])('%i: %s', async (status, message, body, encoding) => {
  const bodies = reader();
  await expect(bodies.with(requestWith(body, encoding), text)).rejects.toMatchObject({ status, message });
  expect(bodies.bytesUnderWay).toBe(0);
});

test('small bodies that become large ones count while they grow, however many come at once', async () => {
  const bodies = reader();
  const bomb = gzipSync(Buffer.alloc(mebibyte));
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  let most = 0;
  const all = Array.from({ length: 40 }, () =>
    bodies.with(requestWith(bomb, 'gzip'), async () => {
      most = Math.max(most, bodies.bytesUnderWay);
      await held;
    }),
  );
  // Each that is unpacked holds 1 MiB of the 4, and its packed bytes: 3 at the most, so 37 at least are refused.
  const ends = Promise.allSettled(all);
  let left = 37;
  await new Promise<void>((resolve) => {
    for (const one of all) one.catch(() => (left -= 1) === 0 && resolve());
  });
  release();
  for (const end of await ends) {
    if (end.status === 'rejected') expect(end.reason).toMatchObject({ status: 503 });
  }
  expect(most).toBeLessThanOrEqual(4 * mebibyte);
  expect(bodies.bytesUnderWay).toBe(0);
});
