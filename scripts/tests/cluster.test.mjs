import assert from 'node:assert/strict';
import { test } from 'node:test';
import { budgetFaults, endpointFaults, graceFaults, leftovers, podFaults } from '../cluster/chart-claims.mjs';

const labels = { app: 'ingest' };
const deployment = {
  metadata: { name: 'rh-ingest' },
  spec: { replicas: 2, selector: { matchLabels: labels } },
  status: { readyReplicas: 2 },
};
const pod = { metadata: { labels } };
const going = { metadata: { labels, deletionTimestamp: 'now' } };

test('a deployment has its pods, without those that are to go', () => {
  assert.deepEqual(podFaults([deployment], [pod, pod, going], []), []);
  assert.deepEqual(podFaults([deployment], [pod, going], []), ['rh-ingest: 2 of 2 ready, 1 pods']);
  assert.deepEqual(podFaults([{ ...deployment, status: {} }], [pod, pod], []), [
    'rh-ingest: 0 of 2 ready, 2 pods',
  ]);
});

test('a pod that admission refuses is named once', () => {
  const refused = {
    reason: 'FailedCreate',
    involvedObject: { name: 'rh-ingest-1' },
    message: 'violates PodSecurity "restricted"',
  };
  assert.deepEqual(podFaults([deployment], [pod, pod], [refused, refused]), [
    'rh-ingest-1: violates PodSecurity "restricted"',
  ]);
});

test('a budget without pods, or that lets none go, is a fault', () => {
  const budget = (status) => ({ metadata: { name: 'b' }, status });
  assert.deepEqual(budgetFaults([budget({ expectedPods: 2, disruptionsAllowed: 1 })]), []);
  assert.deepEqual(budgetFaults([budget({ expectedPods: 0, disruptionsAllowed: 0 }), budget()]), [
    'budget b: 0 of 0 pods may go',
    'budget b: 0 of 0 pods may go',
  ]);
});

test('a service has an address and all of its ports', () => {
  const service = { metadata: { name: 's' }, spec: { ports: [{ name: 'http' }, { name: 'grpc' }] } };
  const slice = (ports, ready) => ({
    metadata: { labels: { 'kubernetes.io/service-name': 's' } },
    ports: ports.map((port) => ({ port })),
    endpoints: [{ conditions: { ready } }],
  });
  assert.deepEqual(endpointFaults([service], [slice([80, 81], true)]), []);
  assert.deepEqual(endpointFaults([service], [slice([80], true)]), ['service s: 1 of 2 ports']);
  assert.deepEqual(endpointFaults([service], [slice([80, 81], false)]), ['service s: no address']);
  assert.deepEqual(endpointFaults([service], []), ['service s: no address']);
});

test('a pod has 35 s of preStop and 20 s to stop', () => {
  assert.deepEqual(graceFaults(new Map([['ingest', 55]])), []);
  assert.deepEqual(graceFaults(new Map([['ingest', 30]])), ['ingest has 30 s to stop, not 55']);
  assert.deepEqual(graceFaults(new Map()), ['no pod was told to go']);
});

test('what every namespace has is not left over', () => {
  const named = (name) => ({ metadata: { name } });
  assert.deepEqual(leftovers('configmaps', [named('kube-root-ca.crt')]), []);
  assert.deepEqual(leftovers('events', [named('x')]), []);
  assert.deepEqual(leftovers('pods', [named('x')]), ['pods x is left']);
});
