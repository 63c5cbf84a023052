#!/usr/bin/env node
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { skipped } from './checks/skip.mjs';
import { tryChart } from './cluster/chart.mjs';
import { createKinds } from './cluster/kinds.mjs';
import { ControlPlane } from './cluster/servers.mjs';
import { hasProgram, ImagesError } from './images/docker.mjs';
import { readFlags } from './flags.mjs';
import { setUp } from './setup/index.mjs';
import { kubernetesVersion } from './setup/kubernetes.mjs';
import { missingReason } from './setup/or-say-why.mjs';
import { placesOf, projectRoot } from './setup/places.mjs';

const usage = `usage: npm run cluster

Installs the chart through a real Kubernetes API server with its controllers, upgrades, rolls back and removes it. There
are no nodes: pods are said to run. Prints what doesn't hold and ends with 1 then; with 77 and the reason where etcd
(Debian: etcd-server), Go or helm is absent. The first run builds the API server: half an hour on two cores.`;

function whyNot(places) {
  if (!hasProgram('etcd')) return 'no etcd (Debian: etcd-server)';
  if (!hasProgram('go', ['version'])) return 'no go';
  const helm = join(places.toolchain, 'helm', 'helm');
  return existsSync(helm) ? null : `no helm: ${missingReason(places, 'helm')}`;
}

async function main(places) {
  const programs = join(places.toolchain, 'kubernetes');
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-cluster-'));
  const plane = new ControlPlane(
    {
      etcd: 'etcd',
      helm: join(places.toolchain, 'helm', 'helm'),
      apiserver: join(programs, 'kube-apiserver'),
      controllers: join(programs, 'controllers'),
    },
    folder,
  );
  try {
    await plane.start();
    await createKinds(plane.api);
    const faults = await tryChart(plane, (line) => console.error(line));
    for (const fault of faults) console.log(fault);
    const version = kubernetesVersion(join(projectRoot, 'toolchain', 'kubernetes'));
    if (faults.length === 0)
      console.log(`the chart is installed, upgraded, rolled back and removed by ${version}`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    await plane.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

readFlags(usage);
await setUp({ only: ['helm'] });
const reason = whyNot(placesOf());
if (reason !== null) {
  console.log(`not made: ${reason}`);
  process.exitCode = skipped;
} else {
  await setUp({ only: ['kubernetes'] });
  await main(placesOf()).catch((error) => {
    if (!(error instanceof ImagesError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  });
}
