import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { chartFaults } from '../checks/chart-faults.mjs';
import { manifestFaults } from '../checks/manifests.mjs';
import { kubernetesVersions } from '../setup/helm.mjs';
import { missingReason } from '../setup/or-say-why.mjs';
import { placesOf } from '../setup/places.mjs';

const labels = { 'app.kubernetes.io/component': 'ingest' };
const container = {
  name: 'ingest',
  image: 'roundhouse:1',
  ports: [{ name: 'http', containerPort: 8080 }],
  livenessProbe: { httpGet: { path: '/livez', port: 'http' } },
  readinessProbe: { httpGet: { path: '/readyz', port: 'http' } },
  startupProbe: { httpGet: { path: '/livez', port: 'http' } },
  lifecycle: { preStop: { exec: { command: ['sleep', '35'] } } },
  securityContext: {
    allowPrivilegeEscalation: false,
    readOnlyRootFilesystem: true,
    capabilities: { drop: ['ALL'] },
  },
  resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } },
  volumeMounts: [{ name: 'tmp', mountPath: '/tmp' }],
};
const pod = {
  automountServiceAccountToken: false,
  securityContext: { runAsNonRoot: true },
  terminationGracePeriodSeconds: 55,
  containers: [container],
  volumes: [{ name: 'tmp', emptyDir: {} }],
};
const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'a' },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
};
const service = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec: { selector: labels, ports: [{ port: 80, targetPort: 'http' }] },
};
const scaled = {
  apiVersion: 'keda.sh/v1alpha1',
  kind: 'ScaledObject',
  metadata: { name: 'k' },
  spec: { scaleTargetRef: { name: 'a' }, triggers: [{ type: 'kafka', metadata: { topic: 't' } }] },
};

test('a sound deployment and service have no faults', () => {
  assert.deepEqual(chartFaults([deployment, service]), []);
});

test('what a pod lacks is named', () => {
  const broken = structuredClone(deployment);
  Object.assign(broken.spec.template.spec, {
    automountServiceAccountToken: true,
    securityContext: {},
    terminationGracePeriodSeconds: 40,
    volumes: [],
  });
  Object.assign(broken.spec.template.spec.containers[0], {
    securityContext: {},
    readinessProbe: undefined,
    resources: {},
  });
  assert.deepEqual(chartFaults([broken]), [
    'a: may run as root',
    'a: has a token for the API',
    'a: its root file system can be written to',
    'a: may gain privileges',
    'a: keeps capabilities',
    'a: lacks a probe',
    'a: lacks requests or a limit of memory',
    // 35 s of preStop leave 5.
    'a: has less than 15 s for its stop behind preStop',
    'a: no volume tmp',
  ]);
});

test('pods that no policy or budget covers, and services without pods or ports, are named', () => {
  const other = { podSelector: { matchLabels: { x: 'y' } }, selector: { matchLabels: { x: 'y' } } };
  const objects = [
    deployment,
    { ...service, spec: { selector: { x: 'y' }, ports: [] } },
    { ...service, metadata: { name: 't' }, spec: { selector: labels, ports: [{ targetPort: 'grpc' }] } },
    { kind: 'NetworkPolicy', metadata: { name: 'n' }, spec: other },
    { kind: 'PodDisruptionBudget', metadata: { name: 'p' }, spec: other },
  ];
  assert.deepEqual(chartFaults(objects), [
    'a: no NetworkPolicy',
    'a: no PodDisruptionBudget',
    'Service s: selects 0 deployments',
    'Service t: no port grpc',
  ]);
});

// Guards against a policy that kept spans from the collector in silence.
test('a policy of the network that keeps spans in is named', () => {
  const config = { kind: 'ConfigMap', metadata: { name: 'c' }, data: {} };
  config.data.OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318';
  const policy = (name, ...ports) => {
    const egress = [{ ports: ports.map((port) => ({ port })) }];
    return { kind: 'NetworkPolicy', metadata: { name }, spec: { podSelector: {}, egress } };
  };
  const faults = chartFaults([config, policy('open', 53, 4318), policy('shut', 53)]);
  assert.deepEqual(faults, ['NetworkPolicy shut: keeps spans from http://collector:4318']);
});

const schemas = join(placesOf().toolchain, 'helm', 'schemas');
const isMissing = existsSync(schemas) ? false : `no schemas: ${missingReason(placesOf(), 'helm')}`;

for (const version of kubernetesVersions) {
  test(
    `unknown fields, wrong types and unknown kinds are faults to Kubernetes ${version}`,
    { skip: isMissing },
    () => {
      const faultsOf = (object) => manifestFaults([object], join(schemas, version)).join('\n');
      const changed = (change) => {
        const object = structuredClone(deployment);
        change(object.spec.template.spec.containers[0], object);
        return object;
      };
      assert.equal(faultsOf(deployment), '');
      assert.equal(faultsOf(service), '');
      assert.match(faultsOf(changed((one) => (one.imag = 'x'))), /"imag"/);
      assert.match(faultsOf(changed((one) => (one.ports[0].containerPort = 'x'))), /must be/);
      assert.match(faultsOf(changed((_, all) => (all.apiVersion = 'apps/v9'))), /apps\/v9 has no such kind/);
      assert.match(faultsOf(changed((_, all) => delete all.spec.selector)), /selector/);
    },
  );
}

test("KEDA's objects are checked by its own schema", { skip: isMissing }, () => {
  const faultsOf = (object) => manifestFaults([object], join(schemas, kubernetesVersions[0]));
  assert.deepEqual(faultsOf(scaled), []);
  const broken = structuredClone(scaled);
  delete broken.spec.triggers[0].metadata;
  assert.match(faultsOf(broken).join(), /metadata/);
});
