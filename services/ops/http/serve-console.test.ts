import { EventEmitter } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { get, request as rawRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MetricsRegistry } from '#lib/metrics/registry';
import { RoundhouseError } from '#schemas/errors';
import { until } from '../../../test/support/until';
import type { Snapshot, Tick } from '../console/messages';
import { serveConsole } from './serve-console';
import { StaticFiles } from './static-files';
import { Viewers } from './viewers';

const names = ['index.html', 'console.js', 'console.css', 'theme.js', 'favicon.svg'];
let folder: string;
let console: { port: number; close(): Promise<void> };
let viewers: Viewers;
let snapshot: Snapshot | null = null;
const asked: string[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-console-'));
  for (const name of names) writeFileSync(join(folder, name), `<${name}>`);
  mkdirSync(join(folder, 'runbook'));
  writeFileSync(join(folder, 'runbook', 'RoundhouseOutage.html'), '<what to do>');
  mkdirSync(join(folder, 'docs', 'rules'), { recursive: true });
  writeFileSync(join(folder, 'docs', 'rules', 'rounds.html'), '<rules>');
  viewers = new Viewers(4, 2);
  console = await serveConsole({
    registry: new MetricsRegistry(),
    checks: { kafka: () => null },
    host: '127.0.0.1',
    port: 0,
    files: new StaticFiles(folder),
    viewers,
    api: {
      problems: () => snapshot,
      search: (text) => (asked.push(text), []),
      detail: ({ roundId }) => {
        if (roundId === 'broken') throw new Error('secret words');
        return Promise.resolve(null);
      },
      incident: (worker) =>
        worker === 'silent'
          ? Promise.reject(new Error('nobody listens there'))
          : Promise.resolve({ kind: 'death' }),
    },
    snapshot: () => snapshot,
    onFault: () => undefined,
  });
});
afterAll(async () => {
  viewers.close();
  await console.close();
  rmSync(folder, { recursive: true });
});

const url = (path: string): string => `http://127.0.0.1:${console.port}${path}`;

test.each([
  ['/', 'text/html; charset=utf-8', '<index.html>'],
  ['/console.js', 'text/javascript; charset=utf-8', '<console.js>'],
  ['/console.css?x=1', 'text/css; charset=utf-8', '<console.css>'],
  ['/runbook/RoundhouseOutage', 'text/html; charset=utf-8', '<what to do>'],
  ['/docs/rules/rounds', 'text/html; charset=utf-8', '<rules>'],
])('%s is served, and nothing of others may run beside it', async (path, type, body) => {
  const response = await fetch(url(path));
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([
    200,
    type,
    body,
  ]);
  const policy = response.headers.get('content-security-policy')!;
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe-inline');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
});

test('a page that is known is not sent again', async () => {
  const etag = (await fetch(url('/'))).headers.get('etag')!;
  const again = await fetch(url('/'), { headers: { 'if-none-match': etag } });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

test('a head has no body', async () => {
  const response = await new Promise<IncomingMessage>((resolve) =>
    rawRequest(url('/'), { method: 'HEAD' }, resolve).end(),
  );
  response.resume();
  expect(response.headers['content-length']).toBe(String('<index.html>'.length));
});

test('a head of the events ends, and takes no viewer’s place', async () => {
  const response = await fetch(url('/api/live'), { method: 'HEAD' });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect(viewers.count).toBe(0);
});

test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])(
  '%s is refused: all is read only',
  async (method) => {
    expect((await fetch(url('/'), { method })).status).toBe(405);
  },
);

test.each([
  '/../config.js',
  '/..%2f..%2fpackage.json',
  '/index.html',
  '/runbook/None',
  '/docs/rules',
  '/%00',
  '/api',
  '/api/rounds/',
  '//x',
])('%s is not there', async (path) => {
  const response = await new Promise<IncomingMessage>((resolve) =>
    get({ host: '127.0.0.1', port: console.port, path }, resolve),
  );
  response.resume();
  expect(response.statusCode).toBe(404);
});

test.each([
  ['/api/problems', 404],
  ['/api/rounds', 400],
  ['/api/rounds?text=', 400],
  [`/api/rounds?text=${'x'.repeat(201)}`, 400],
  ['/api/rounds?text=lunch', 200],
  ['/api/round?tenantId=a&runId=b', 400],
  ['/api/round?tenantId=a&runId=b&roundId=c', 404],
  ['/api/incident?worker=w&id=../x', 400],
  ['/api/incident?worker=w&id=x.json', 200],
  ['/api/incident?worker=silent&id=x.json', 502],
])('%s is answered with %i', async (path, status) => {
  expect((await fetch(url(path))).status).toBe(status);
});

test('a fault of ours is told without its words', async () => {
  const response = await fetch(url('/api/round?tenantId=a&runId=b&roundId=broken'));
  expect([response.status, await response.text()]).toEqual([500, expect.not.stringContaining('secret')]);
});

test('health and metrics are on the same port', async () => {
  for (const path of ['/livez', '/readyz', '/metrics']) expect((await fetch(url(path))).status).toBe(200);
});

/** What a viewer has read so far. */
async function watch(): Promise<{ text(): string; leave(): void; readonly response: IncomingMessage }> {
  const response = await new Promise<IncomingMessage>((resolve) => get(url('/api/live'), resolve));
  let text = '';
  response.on('data', (bytes: Buffer) => (text += bytes.toString()));
  response.on('error', () => undefined);
  return { text: () => text, leave: () => void response.destroy(), response };
}

const tick = { at: 1 } as Tick;

test('viewers get the snapshot, then ticks; no more of an address than may look', async () => {
  const [first, second] = [await watch(), await watch()];
  expect(first.response.headers['content-type']).toBe('text/event-stream');
  const third = await fetch(url('/api/live'));
  expect([third.status, await third.text()]).toEqual([429, expect.stringContaining('from this address')]);
  expect((await fetch(url('/api/live'), { method: 'HEAD' })).status).toBe(429);
  snapshot = { at: 0, prefix: 'x' } as Snapshot;
  viewers.tick(tick, () => snapshot);
  viewers.tick(tick, () => null);
  await until(() => second.text().includes('event: tick'), 'a tick');
  expect(second.text()).toBe(
    'retry: 1000\n\nevent: snapshot\ndata: {"at":0,"prefix":"x"}\n\nevent: tick\ndata: {"at":1}\n\n',
  );
  first.leave();
  second.leave();
  await until(() => viewers.count === 0, 'both gone');
});

test('who may look is told apart by address, and all together are bounded', () => {
  const some = new Viewers(3, 2);
  const open = (address: string) => {
    const response = new EventEmitter() as unknown as ServerResponse;
    some.add(Object.assign(response, { writeHead: () => response, write: () => true }), null, address);
    return response;
  };
  const first = open('a');
  open('a');
  expect([some.whyNoPlace('a'), some.whyNoPlace('b')]).toEqual(['none_for_address', null]);
  open('b');
  expect([some.whyNoPlace('b'), some.whyNoPlace('c')]).toEqual(['none', 'none']);
  first.emit('close');
  expect([some.whyNoPlace('a'), some.whyNoPlace('c')]).toEqual([null, null]);
});

test('a viewer that reads nothing is cut off, and holds nobody up', async () => {
  const socket = connect(console.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.write('GET /api/live HTTP/1.1\r\nhost: x\r\n\r\n');
  await until(() => viewers.count === 1, 'the viewer');
  socket.pause();
  const other = await watch();
  const large = { at: 1, words: 'x'.repeat(1 << 20) } as unknown as Tick;
  for (let i = 0; i < 64 && viewers.count > 1; i++) {
    viewers.tick(large, () => null);
    await until(() => other.text().length >= (i + 1) << 20, 'what the other one reads');
  }
  await until(() => viewers.count === 1, 'the slow one cut off');
  socket.destroy();
  other.leave();
  await until(() => viewers.count === 0, 'both gone');
});

test('a page that was not built is told with what builds it', () => {
  const load = () => new StaticFiles(join(folder, 'absent'));
  expect(load).toThrow(RoundhouseError);
  expect(load).toThrow('node scripts/setup.mjs typescript');
});
