import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { lostEngines } from './lost-engines';

const servers: Server[] = [];
afterAll(() => servers.forEach((server) => server.close()));

async function workerSaying(metrics: string) {
  const server = createServer((_, response) => response.end(metrics)).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { ports: { http: (server.address() as AddressInfo).port } };
}

test('losses of all workers are added; one without a port or an answer, or that lost none, tells of none', async () => {
  const lost = await workerSaying('# TYPE x counter\ndispatch_engine_losses_total{service="w"} 2\n');
  const plain = await workerSaying('dispatch_engine_losses_total 1\n');
  const none = await workerSaying('dispatch_engine_starts_total 1\n');
  const away = await workerSaying('');
  servers.pop()!.close();
  expect(await lostEngines([lost, plain, none, away, { ports: {} }])).toBe(3); // 2 + 1
});
