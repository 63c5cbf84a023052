import { execFileSync } from 'node:child_process';
import { endpointsText, servedPorts, shellWord } from './serve';

test.each(['/opt/roundhouse/x.js', "/tmp/A Grüße/it's $HOME/x.js", '', '*'])(
  'a shell reads %j as it stands',
  (text) => {
    expect(execFileSync('bash', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
  },
);

const served: Parameters<typeof endpointsText>[0] = {
  ingestUrl: 'http://127.0.0.1:1',
  ingestGrpc: '127.0.0.1:2',
  workerGrpc: '127.0.0.1:3',
  workerHttp: 'http://127.0.0.1:4',
  workerMetrics: 'http://127.0.0.1:5/metrics',
  consoleUrl: 'http://127.0.0.1:10',
  kafkaBrokers: '127.0.0.1:6',
  redisUrl: 'redis://127.0.0.1:7',
  topicPrefix: 'mine.',
  logs: '/logs',
  processes: () => [
    { name: 'broker', pid: 1, ports: {} },
    { name: 'worker', pid: 2, ports: { http: 8, grpc: 3 } },
    { name: 'aggregator', pid: 3, ports: { http: 9 } },
  ],
};

test('every address of the pipeline is listed, and what other commands need', () => {
  const text = endpointsText(served);
  for (const port of [1, 2, 3, 4, 5, 6, 7, 10]) expect(text).toContain(`127.0.0.1:${port}`);
  expect(text).toContain('worker http://127.0.0.1:8, aggregator http://127.0.0.1:9');
  expect(text).toContain(
    'KAFKA_BROKERS=127.0.0.1:6 ROUNDHOUSE_TOPIC_PREFIX=mine. npm run --silent dead-letters',
  );
  expect(text).toContain('topics mine.dispatch.*');
});

test('where callers are asked for a credential the commands have it', () => {
  const header = '-H "authorization: Bearer $CREDENTIAL"';
  expect(endpointsText(served, { ROUNDHOUSE_INGEST_ACCESS_FILE: '' })).not.toContain('CREDENTIAL');
  const text = endpointsText(served, { ROUNDHOUSE_INGEST_ACCESS_FILE: 'access.json' });
  expect(text.split(header)).toHaveLength(3);
  expect(text).toContain('export CREDENTIAL=');
});

test('a port that is set to nothing is the default one', () => {
  expect(servedPorts({ ROUNDHOUSE_INGEST_HTTP_PORT: '', ROUNDHOUSE_WORKER_METRICS_PORT: '9102' })).toEqual({
    ingest: { http: 8080, grpc: 8081 },
    worker: { http: 8090, grpc: 8001, kserveHttp: 8000, metrics: 9102 },
    aggregator: { http: 8070 },
    ops: { http: 8060 },
  });
});

test('the port for other workers is looked at where it is opened', () => {
  expect(servedPorts({ ROUNDHOUSE_UCX_NETWORKS: '127.0.0.0/8' }).worker).toMatchObject({ peer: 8003 });
  expect(servedPorts({ ROUNDHOUSE_WORKER_PEER_PORT: '9103' }).worker).not.toHaveProperty('peer');
});

test('what is no port is told as it was written, and a setting that nobody knows', () => {
  expect(() =>
    servedPorts({ ROUNDHOUSE_WORKER_HTTP_PORT: 'abc', ROUNDHOUSE_STANBY: '1', ROUNDHOUSE_STANDBY: '1' }),
  ).toThrow(
    '2 faults in the configuration:\n' +
      '  ROUNDHOUSE_STANBY: did you mean ROUNDHOUSE_STANDBY?\n' +
      '  ROUNDHOUSE_WORKER_HTTP_PORT="abc": a whole number from 0 to 65535',
  );
});
