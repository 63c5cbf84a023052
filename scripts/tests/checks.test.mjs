import assert from 'node:assert/strict';
import { test } from 'node:test';
import { composeFaults } from '../checks/compose.mjs';
import { tooLong } from '../checks/file-sizes.mjs';
import { faultsOf } from '../checks/tracked-files.mjs';

test('registry hosts, paths of a machine and marks of undone work are found with their line', () => {
  const host = ['pypi', 'org'].join('.');
  const path = ['', 'home', 'someone', 'x'].join('/');
  assert.deepEqual(
    faultsOf(`fine\nsee ${host}\n${path}\n// ${'TO' + 'DO'}: later`).map((fault) => fault.split(':')[0]),
    ['2', '3', '4'],
  );
});

test('relative paths, container paths and words that contain the marks pass', () => {
  assert.deepEqual(faultsOf('a/work/b ./home/x /roundhouse/dist dist/root/x'), []);
});

test('source files of more than 300 lines are named, the longest first; others may be longer', () => {
  const lines = {
    'a.ts': 300,
    'b.cpp': 301,
    'c/d.test.mjs': 302,
    'e.md': 999,
    'f.avsc': 999,
    'CMakeLists.txt': 301,
  };
  assert.deepEqual(
    tooLong(Object.keys(lines), (name) => lines[name]).map((fault) => fault.split(' ')[0]),
    ['c/d.test.mjs:', 'b.cpp:', 'CMakeLists.txt:'],
  );
});

const good = {
  services: {
    redis: { healthcheck: { test: ['CMD', 'ping'] }, volumes: ['data:/data'] },
    ingest: {
      command: ['node', 'dist/main.js'],
      environment: { ROUNDHOUSE_A: '1', KAFKA_BROKERS: 'x' },
      healthcheck: { test: ['CMD', 'x'] },
      depends_on: { redis: { condition: 'service_healthy' } },
    },
    tool: { profiles: ['tools'] },
  },
  volumes: { data: null },
};
const check = (compose) => composeFaults(compose, ['ROUNDHOUSE_A'], (path) => path === 'dist/main.js');

test('a sound Compose file has no faults', () => assert.deepEqual(check(good), []));

test('each kind of fault is named', () => {
  const broken = structuredClone(good);
  delete broken.services.redis.healthcheck;
  broken.services.redis.volumes = ['other:/data', './absent.yml:/x'];
  broken.services.ingest.depends_on.broker = { condition: 'service_started' };
  broken.services.ingest.command = ['node', 'dist/absent.js'];
  broken.services.ingest.environment.ROUNDHOUSE_B = '1';
  assert.deepEqual(check(broken), [
    'redis: no health check',
    'redis: volume other is neither declared nor a file',
    'redis: volume ./absent.yml is neither declared nor a file',
    "ingest: waits for redis's health, which has no check",
    'ingest: depends on broker, which is no service',
    'ingest: dist/absent.js does not exist',
    'ingest: no process knows ROUNDHOUSE_B',
  ]);
});

// Guards against workers with GPUs that neither Prometheus nor the console found.
test('services that Prometheus or the console does not look at are named', () => {
  const service = (name, more = {}) => ({ command: ['node', `dist/services/${name}/main.js`], ...more });
  const alias = { profiles: ['gpu'], networks: { default: { aliases: ['worker'] } } };
  const targets = 'ingest=dns+http://ingest:8080,worker=dns+http://worker:8090';
  const services = {
    ingest: service('ingest'),
    worker: service('inference-worker'),
    'worker-gpu': service('inference-worker', alias),
    'worker-new': service('inference-worker', { profiles: ['new'] }),
    ops: service('ops', { environment: { ROUNDHOUSE_OPS_TARGETS: targets } }),
  };
  const lookup = (...names) => ({ dns_sd_configs: [{ names }] });
  const prometheus = { scrape_configs: [lookup('worker'), lookup('ops')] };
  const faults = composeFaults({ services }, ['ROUNDHOUSE_OPS_TARGETS'], () => true, prometheus);
  assert.deepEqual(
    faults.filter((fault) => /look at it/.test(fault)),
    [
      'ingest: Prometheus does not look at it',
      'worker-new: Prometheus does not look at it',
      'worker-new: the console does not look at it',
    ],
  );
});
