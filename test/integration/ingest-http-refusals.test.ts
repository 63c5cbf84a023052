import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { RoundId } from '#schemas/brands';
import { headers } from '#schemas/topics';
import { atBestOf, until } from '../support/until';
import { decisionOf, roundBody, startIngest, type IngestBench } from './ingest-harness';

let ingest: IngestBench;

beforeAll(async () => {
  ingest = await startIngest('ingest-refusals', {
    ROUNDHOUSE_INGEST_MAX_BODY_BYTES: '100000',
    ROUNDHOUSE_INGEST_BODY_TIMEOUT_MS: '1000',
  });
}, 120_000);
afterAll(() => ingest?.stop(), 60_000);

test('while closes take a second, a round with less time is 503, which says how much it needs', async () => {
  // Its content doesn't matter: what counts is that it was closed 5 s before it came to Kafka, capped at 1 s.
  await ingest.post('/v1/rounds', roundBody('model'));
  const [round] = await ingest.manifests('model');
  let number = 0;
  const slowClose = () => {
    const roundId = `slow-${++number}` as RoundId;
    const closedAt = String(Date.now() - 5_000);
    return ingest.publishDecision(decisionOf({ ...round!, roundId }), { [headers.closedAt]: closedAt });
  };
  let refused: { status: number; body: { error: string; message: string; faults: unknown[] } } | undefined;
  await until(async () => {
    await Promise.all([slowClose(), slowClose(), slowClose()]);
    refused = await ingest.post('/v1/rounds', roundBody(`near-${number}`, { deadline: Date.now() + 1_100 }));
    return refused.status === 503;
  }, 'a refusal');
  expect(refused!.body).toMatchObject({ error: 'INGEST_BUSY', faults: [{ path: 'deadline' }] });
  expect(refused!.body.message).toMatch(
    /a round needs \d+ ms at present: 150 at least, \d+ until it is on Kafka, 1000 from there to its decision/,
  );
  expect((await ingest.post('/v1/rounds', roundBody('with time'))).status).toBe(202);
});

describe('requests that are none', () => {
  test.each([
    ['no JSON', '{"roundId":'],
    ['empty', ''],
  ])('a body that is %s', async (_, body) => {
    const reply = await ingest.post('/v1/rounds', body);
    expect(reply.status).toBe(400);
  });
  test('a body that is not UTF-8', async () => {
    const body = Buffer.from('{"roundId": "\xff"}', 'latin1');
    const reply = await fetch(`${ingest.url}/v1/rounds`, { method: 'POST', body });
    expect([reply.status, ((await reply.json()) as { error: string }).error]).toEqual([
      400,
      'PAYLOAD_INVALID',
    ]);
  });
  test('a body of another type is 415, one without a type is taken as JSON', async () => {
    const type = { 'content-type': 'application/xml' };
    const { status, body } = await ingest.post('/v1/rounds', roundBody('xml'), type);
    expect([status, body.error]).toEqual([415, 'CONTENT_TYPE_UNSUPPORTED']);
    expect(body.message).toBe('content-type application/xml: send application/json in UTF-8');
    const untyped = new Blob([JSON.stringify(roundBody('untyped'))]);
    expect((await fetch(`${ingest.url}/v1/rounds`, { method: 'POST', body: untyped })).status).toBe(202);
  });
  test('they are counted as refused submissions, by their codes', async () => {
    const { body } = await ingest.get('/metrics');
    for (const code of ['PAYLOAD_INVALID', 'CONTENT_TYPE_UNSUPPORTED'])
      expect(body).toMatch(
        new RegExp(`dispatch_rounds_refused_total{edge="http",code="${code}"[^}]*} [1-9]`),
      );
  });
  test('a body nested very deep is refused unparsed', async () => {
    const { status } = await ingest.post('/v1/rounds', `[${'['.repeat(65)}`);
    expect(status).toBe(413);
  });
  test('bodies beyond what may be in work at once are 503 with retry-after, and taken afterwards', async () => {
    const { hostname, port } = new URL(ingest.url);
    // Two bodies of 99,000 of at most 100,000 bytes, not ended: 198,000 of 200,000 bytes are in work.
    const hold = () => {
      const headers = { 'content-length': 99_999 };
      const options = { hostname, port, path: '/v1/rounds', method: 'POST', headers };
      const request = httpRequest(options).on('error', () => undefined);
      request.write(' '.repeat(99_000));
      return request;
    };
    const padded = JSON.stringify(roundBody('busy')).padEnd(3_000);
    const headers = { 'content-type': 'application/json' };
    const send = () => fetch(`${ingest.url}/v1/rounds`, { method: 'POST', body: padded, headers });
    await atBestOf(5, async (attempt) => {
      const held = [hold(), hold()];
      await new Promise((resolve) => setTimeout(resolve, 300 * attempt)); // so that both have come
      const refused = await send();
      held.forEach((request) => request.destroy());
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
      expect(await refused.json()).toMatchObject({ error: 'INGEST_BUSY', retry: 'same' });
    });
    let taken = await send();
    for (let i = 0; i < 200 && taken.status === 503; i++) taken = await send();
    expect(taken.status).toBe(202);
  });
  test('a body above the limit', async () => {
    const { status, body } = await ingest.post('/v1/rounds', 'x'.repeat(100_001));
    expect([status, body.error, body.message]).toEqual([
      413,
      'ROUND_TOO_LARGE',
      'a body of more than 100000 bytes',
    ]);
  });
  test('a body that never ends', async () => {
    // The body's time-out is 1 s here.
    const { hostname, port } = new URL(ingest.url);
    const socket = connect(Number(port), hostname);
    socket.write('POST /v1/rounds HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{');
    const reply = await new Promise<string>((resolve) => {
      let text = '';
      socket.on('data', (chunk) => (text += chunk));
      socket.on('close', () => resolve(text));
    });
    expect(reply).toMatch(/^HTTP\/1\.1 408/);
  }, 30_000);
  test('a compressed body', async () => {
    const reply = await ingest.post('/v1/rounds', '{}', { 'content-encoding': 'gzip' });
    expect(reply.body.message).toMatch(/content-encoding gzip/);
  });
  test('another path or method', async () => {
    expect((await ingest.get('/v1/nothing')).status).toBe(404);
    expect((await ingest.get('/v1/rounds')).status).toBe(404);
    expect((await ingest.get('/v1/runs/%E0%A4%A/rounds/x/decision')).status).toBe(400);
  });
  test('a target that is no path', async () => {
    const { hostname, port } = new URL(ingest.url);
    const status = await new Promise((resolve) => {
      httpRequest({ hostname, port, path: '//', method: 'GET' }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).end();
    });
    expect(status).toBe(404);
  });
});
