#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { kubernetesVersions } from '../setup/helm.mjs';
import { missingReason } from '../setup/or-say-why.mjs';
import { placesOf, projectRoot } from '../setup/places.mjs';
import { chartFaults, settingFaults } from './chart-faults.mjs';
import { manifestFaults } from './manifests.mjs';
import { skip } from './skip.mjs';

/**
 * `helm lint --strict` and `helm template` of ops/helm with each file of values in ops/helm/tests; what comes out against
 * the schemas of the oldest and the newest Kubernetes, and against what we promise of every pod. Values that must be
 * refused are.
 */
const folder = join(placesOf().toolchain, 'helm');
const chart = join(projectRoot, 'ops', 'helm', 'roundhouse');
const { knownKeys } = createRequire(join(projectRoot, 'package.json'))('./dist/lib/config-keys.js');
const tests = join(projectRoot, 'ops', 'helm', 'tests');

/** What nobody may install by mistake, and a part of what is said then. */
const refused = [
  [[], /kafka/],
  [['kafka.brokers=kafka', 'redis.url=redis://r'], /brokers/],
  [['kafka.brokers=k:1', 'redis.url=redis://user:secret@r'], /url/],
  [['kafka.brokers=k:1', 'redis.url=redis://r', 'kafka.sasl=scram-sha-512'], /kafka\.user is missing/],
  [['kafka.brokers=k:1', 'redis.url=redis://r', 'worker.replica=2'], /replica/],
  [['kafka.brokers=k:0', 'redis.url=redis://r'], /brokers/],
  [['kafka.brokers=k:1', 'redis.url=redis://r/db'], /url/],
  [['kafka.brokers=k:1', 'redis.url=redis://r', 'kafka.sasl=plain'], /would show the password/],
  [['kafka.brokers=k:1', 'redis.url=redis://r', 'kafka.tlsSecret=s'], /kafka\.tls is not/],
  [['kafka.brokers=k:1', 'redis.url=redis://r', 'redis.user=u'], /passwordSecret is missing/],
  [['kafka.brokers=k:1', 'redis.url=redis://r', 'redis.passwordSecret=s'], /would show the password/],
  [
    [
      ...['kafka.brokers=k:1', 'redis.url=redis://r', 'workerAccessSecret=a'],
      'config.ROUNDHOUSE_REMOTE_ENGINES=redis',
    ],
    /peerTlsSecret is missing/,
  ],
  [['kafka.brokers=k:1', 'redis.url=redis://r', 'redis.tlsSecret=s'], /redis\.url is not rediss/],
  [['kafka.brokers=k:1', 'redis.url=redis://r', 'tlsRequireClients=true'], /tlsSecret is missing/],
  [
    ['kafka.brokers=k:1', 'redis.url=redis://r', 'config.ROUNDHOUSE_KAFKA_PASSWORD=p'],
    /propertyName 'ROUNDHOUSE_KAFKA_PASSWORD'/,
  ],
  [
    ['kafka.brokers=k:1', 'redis.url=redis://r', 'ingest.env.OTEL_EXPORTER_OTLP_HEADERS=h'],
    /propertyName 'OTEL_EXPORTER_OTLP_HEADERS'/,
  ],
  [
    [
      'kafka.brokers=k:1',
      'redis.url=redis://r',
      'worker.autoscaling.enabled=true',
      'worker.autoscaling.maxReplicas=13',
    ],
    /13, and there are 12 partitions/,
  ],
];

function helm(...args) {
  const { status, stdout, stderr } = spawnSync(join(folder, 'helm'), args, {
    encoding: 'utf8',
    env: { ...process.env, HELM_NO_PLUGINS: '1' },
    maxBuffer: 32 << 20,
  });
  return { ok: status === 0, stdout, text: `${stdout}${stderr}` };
}

function faultsWith(values) {
  const lint = helm('lint', '--strict', chart, '-f', values);
  const rendered = helm('template', 'rh', chart, '-n', 'dispatch', '-f', values);
  if (!lint.ok || !rendered.ok) return [lint.text, rendered.ok ? '' : rendered.text];
  const objects = parseAllDocuments(rendered.stdout)
    .map((document) => document.toJS())
    .filter((object) => object !== null);
  const schemas = kubernetesVersions.map((version) => join(folder, 'schemas', version));
  return [
    ...schemas.flatMap((schema) => manifestFaults(objects, schema)),
    ...chartFaults(objects),
    ...settingFaults(objects, knownKeys),
  ];
}

function notRefused([settings, pattern]) {
  const { ok, text } = helm('template', 'rh', chart, ...settings.flatMap((setting) => ['--set', setting]));
  if (ok) return [`helm template --set ${settings.join(',')} is not refused`];
  return pattern.test(text) ? [] : [`helm template --set ${settings.join(',')} says: ${text}`];
}

if (!existsSync(join(folder, 'helm'))) skip(`no helm: ${missingReason(placesOf(), 'helm')}`);
else {
  const named = readdirSync(tests).flatMap((name) =>
    faultsWith(join(tests, name)).map((fault) => `${name}: ${fault}`),
  );
  const versions = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')).version;
  const appVersion = /^appVersion: (.*)$/m.exec(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))?.[1];
  const version =
    appVersion === versions ? [] : [`appVersion is ${appVersion}, package.json says ${versions}`];
  const faults = [...named, ...refused.flatMap(notRefused), ...version];
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
