import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged } from './command.mjs';
import { replaceFolder } from './fresh-folder.mjs';
import { hashFiles, isStamped } from './stamp.mjs';

const packages = ['k8s.io/kubernetes/cmd/kube-apiserver', './controllers'];
/**
 * Kubernetes' API server and the controllers that a chart's objects need, built by Go out of their module: half an hour on
 * two cores. Only `npm run cluster` uses them.
 */
export function kubernetesPrograms(places) {
  const project = join(places.root, 'toolchain', 'kubernetes');
  const folder = join(places.toolchain, 'kubernetes');
  const files = ['go.mod', 'go.sum', join('controllers', 'main.go')];
  const inputs = () =>
    hashFiles(
      places.root,
      files.map((name) => join(project, name)),
    );
  return {
    name: "Kubernetes' API server",
    tools: ['go'],
    needs: [],
    isDone: () => isStamped(folder, inputs()),
    run: () => replaceFolder(folder, inputs(), (fresh) => build(project, fresh, places.logs)),
  };
}

/** Of Kubernetes, as go.mod says. */
export const kubernetesVersion = (project) =>
  /k8s\.io\/kubernetes (v\S+)/.exec(readFileSync(join(project, 'go.mod'), 'utf8'))[1];

/** In a copy of the project, where Go may write. */
async function build(project, folder, logs) {
  const copy = join(folder, '.project');
  cpSync(project, copy, { recursive: true });
  const env = { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' };
  const version = `-X k8s.io/component-base/version.gitVersion=${kubernetesVersion(project)}`;
  const args = ['build', '-ldflags', `-s -w ${version}`, '-o', `${folder}/`, ...packages];
  await runLogged('go', args, { cwd: copy, env, log: join(logs, 'setup-kubernetes.log') });
  rmSync(copy, { recursive: true });
}
