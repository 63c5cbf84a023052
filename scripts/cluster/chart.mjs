import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../setup/places.mjs';
import { kinds, pathOf } from './api.mjs';
import { budgetFaults, endpointFaults, graceFaults, leftovers, podFaults } from './chart-claims.mjs';
import { StandInKubelet } from './stand-in-kubelet.mjs';

const chart = join(projectRoot, 'ops', 'helm', 'roundhouse');
const tests = join(projectRoot, 'ops', 'helm', 'tests');
const namespace = 'dispatch';
const release = ['rh', chart, '--namespace', namespace];
/** Kubernetes' strictest standard for pods, enforced by the server's own admission. */
const labels = {
  'pod-security.kubernetes.io/enforce': 'restricted',
  'pod-security.kubernetes.io/warn': 'restricted',
};

/** Installs, upgrades, rolls back and removes the chart; sentences for what doesn't hold. */
export async function tryChart(plane, say) {
  const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } };
  await plane.api.create('/api/v1/namespaces', object);
  // What NVIDIA's operator makes; everything.values.yaml names it.
  const runtime = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'nvidia' } };
  await plane.api.create('/apis/node.k8s.io/v1/runtimeclasses', { ...runtime, handler: 'nvidia' });
  const faults = [];
  for (const name of readdirSync(tests)) {
    say(`helm install --dry-run=server with ${name}`);
    const args = ['install', ...release, '--values', join(tests, name), '--dry-run=server'];
    const { code, stderr } = await plane.helm(args, { mayFail: true });
    if (code !== 0) faults.push(`${name}: ${stderr.trim()}`);
  }
  const kubelet = new StandInKubelet(plane.api, namespace);
  await kubelet.start();
  try {
    return [...faults, ...(await wayOfARelease(plane, kubelet, say))];
  } finally {
    await kubelet.stop();
  }
}

async function wayOfARelease(plane, kubelet, say) {
  const faults = [];
  const step = async (name, make) => {
    say(name);
    faults.push(...(await make()).map((fault) => `${name}: ${fault}`));
  };
  const waiting = ['--wait', '--timeout', '3m'];
  const upgrade = (name) =>
    settled(plane, ['upgrade', ...release, '--values', join(tests, `${name}.values.yaml`), ...waiting]);
  const least = join(tests, 'least.values.yaml');
  await step('install', () => settled(plane, ['install', ...release, '--values', least, ...waiting]));
  await step('disruption', () => disrupted(plane));
  await step('upgrade', () => upgrade('traces'));
  await step('grace', async () => graceFaults(kubelet.graces));
  await step('upgrade to everything', () => upgrade('everything'));
  await step('rollback', () => settled(plane, ['rollback', 'rh', '1', '--namespace', namespace, ...waiting]));
  await step('uninstall', () => removed(plane));
  return faults;
}

/** What helm warns of or fails with, and what isn't as it should be afterwards. */
async function settled(plane, args) {
  const { code, stdout, stderr } = await plane.helm(args, { mayFail: true });
  const warnings = stderr.split('\n').filter((line) => /warning|would violate/i.test(line));
  return code === 0 ? [...warnings, ...(await looked(plane))] : [`${stdout}${stderr}`.trim()];
}

/** Everything as it should be, at the latest after a while: controllers work one after the other. */
async function looked({ api }) {
  let faults = [];
  for (let tries = 0; tries < 30; tries += 1) {
    const [deployments, pods, events, budgets, services, slices] = await Promise.all(
      ['deployments', 'pods', 'events', 'poddisruptionbudgets', 'services', 'endpointslices'].map((kind) =>
        api.list(kind, namespace),
      ),
    );
    faults = [
      ...podFaults(deployments, pods, events),
      ...budgetFaults(budgets),
      ...endpointFaults(services, slices),
    ];
    if (faults.length === 0) return [];
    await sleep(1_000);
  }
  return faults;
}

/** Of two evictions at once of one service the budget lets one through. */
async function disrupted(plane) {
  const pods = await plane.api.list('pods', namespace, 'app.kubernetes.io/component=aggregator');
  let allowed = 0;
  for (const { metadata } of pods) {
    const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: metadata.name, namespace } };
    const { code } = await plane.api.ask('POST', `${pathOf('pods', namespace, metadata.name)}/eviction`, {
      body,
    });
    if (code < 300) allowed += 1;
  }
  if (pods.length === 2 && allowed === 1) return looked(plane);
  return [`${allowed} of ${pods.length} pods could be evicted at once, not 1 of 2`];
}

async function removed(plane) {
  await plane.helm(['uninstall', 'rh', '--namespace', namespace, '--wait', '--timeout', '3m']);
  let left = [];
  for (let tries = 0; tries < 30; tries += 1) {
    const all = await Promise.all(
      kinds.map(async (kind) => leftovers(kind, await plane.api.list(kind, namespace))),
    );
    left = all.flat();
    if (left.length === 0) return [];
    await sleep(1_000);
  }
  return left;
}
