import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { untilReady } from './readiness';

const servers: Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close().closeAllConnections()));

/** A service that is ready from the `readyAt`th look on. */
async function service(name: string, readyAt: number, reasons: Record<string, string>) {
  let looks = 0;
  const server = createServer((_request, response) => {
    const ready = ++looks >= readyAt;
    response.writeHead(ready ? 200 : 503).end(JSON.stringify(ready ? { ready } : { ready, reasons }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { name, ports: { http: (server.address() as AddressInfo).port } };
}

const wait = { timeoutMs: 60_000, signal: new AbortController().signal, onWait: () => {} };

test('waits until every service is ready', async () => {
  const services = [
    await service('ingest', 1, {}),
    await service('worker', 4, { engine: 'loading' }),
    { name: 'broker', ports: {} },
  ];
  expect(await untilReady(() => services, wait)).toEqual([]);
});

test('what is left after the time is named, with the reasons of the service', async () => {
  const never = Infinity;
  const services = [
    await service('ingest', 1, {}),
    await service('worker', never, { engine: 'delivery_time: no such backend', kafka: 'not connected yet' }),
  ];
  const told: string[] = [];
  const faults = await untilReady(() => services, {
    ...wait,
    timeoutMs: 1_500,
    onWait: (reasons) => told.push(...reasons),
  });
  expect(faults).toEqual(['worker: delivery_time: no such backend; not connected yet']);
  expect(told).toEqual(faults);
});

test('a service that does not answer is no ready one', async () => {
  const gone = await service('worker', 1, {});
  servers.splice(0).forEach((server) => server.close());
  const [fault] = await untilReady(() => [gone], { ...wait, timeoutMs: 0 });
  expect(fault).toMatch(/^worker: .*ECONNREFUSED/);
});

test('a Ctrl-C ends the wait', async () => {
  const services = [await service('worker', Infinity, { engine: 'no' })];
  const abort = new AbortController();
  abort.abort(new Error('ended by SIGINT'));
  await expect(untilReady(() => services, { ...wait, signal: abort.signal })).rejects.toThrow(
    'ended by SIGINT',
  );
});
