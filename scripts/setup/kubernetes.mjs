import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged } from './command.mjs';
import { replaceFolder } from './fresh-folder.mjs';
import { hashFiles, isStamped } from './stamp.mjs';

const packages = ['k8s.io/kubernetes/cmd/kube-apiserver', './controllers'];
/** Go's types of the operators' kinds that the chart may make, which their definitions come from. */
const kinds = [
  'github.com/kedacore/keda/v2/apis/keda/v1alpha1',
  'github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1',
];

/**
 * Kubernetes' API server and some of its controllers, built by Go out of their module, and the definitions of KEDA's and the
 * Prometheus operator's kinds: half an hour on two cores. Only `npm run cluster` uses them.
 */
export function kubernetesPrograms(places) {
  const project = join(places.root, 'toolchain', 'kubernetes');
  const folder = join(places.toolchain, 'kubernetes');
  const files = [
    'go.mod',
    'go.sum',
    join('controllers', 'main.go'),
    join('kinds', 'go.mod'),
    join('kinds', 'go.sum'),
  ];
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
  const go = (cwd, args) => runLogged('go', args, { cwd, env, log: join(logs, 'setup-kubernetes.log') });
  await go(copy, ['build', '-ldflags', `-s -w ${version}`, '-o', `${folder}/`, ...packages]);
  const generate = ['run', 'sigs.k8s.io/controller-tools/cmd/controller-gen', 'crd'];
  const paths = kinds.map((name) => `paths=${name}`);
  await go(join(copy, 'kinds'), [...generate, ...paths, `output:crd:dir=${join(folder, 'kinds')}`]);
  rmSync(copy, { recursive: true });
}
