import { MetricsRegistry } from './metrics/registry';
import { startHealthServer } from './health';

const options = { registry: new MetricsRegistry(), host: '127.0.0.1', port: 0 };

async function get(port: number, path: string) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
}

test('answers live, ready with reasons, and metrics', async () => {
  const reasons: { kafka: string | null } = { kafka: 'not connected' };
  const checks = {
    kafka: () => reasons.kafka,
    engine: () => Promise.reject(new Error('gone')),
    fine: () => null,
  };
  const server = await startHealthServer({ ...options, checks });
  expect((await get(server.port, '/livez')).status).toBe(200);
  const ready = await get(server.port, '/readyz');
  expect(ready.status).toBe(503);
  expect(JSON.parse(ready.text)).toEqual({
    ready: false,
    reasons: { kafka: 'not connected', engine: 'gone' },
  });
  expect((await get(server.port, '/metrics')).status).toBe(200);
  expect(await get(server.port, '/other')).toEqual({
    status: 404,
    text: '{"error":"NOT_FOUND","message":"only GET /livez, /readyz, /metrics and /last-words"}',
  });
  await server.close();
});

test('a host that is not ours is told with the setting that it comes from', async () => {
  // TEST-NET-1: no host has it.
  const server = startHealthServer({ ...options, host: '192.0.2.1', checks: {} });
  await expect(server).rejects.toThrow(
    'cannot listen on 192.0.2.1:0: EADDRNOTAVAIL (the host is ROUNDHOUSE_BIND_HOST)',
  );
});

test('a port in use is named', async () => {
  const server = await startHealthServer({ ...options, checks: {} });
  const second = startHealthServer({ ...options, port: server.port, checks: {} });
  await expect(second).rejects.toMatchObject({ code: 'PORT_IN_USE' });
  await expect(second).rejects.toThrow(`127.0.0.1:${server.port} is in use`);
  const named = startHealthServer({ ...options, port: server.port, portKey: 'MY_PORT', checks: {} });
  await expect(named).rejects.toThrow(': set MY_PORT to another port');
  await server.close();
});
