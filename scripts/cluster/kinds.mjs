import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The kinds of KEDA and of the Prometheus operator that the chart may make, with any content: what they take is checked
 * elsewhere (scripts/checks/manifests.mjs); here they only have to be there.
 */
const kinds = [
  ['keda.sh', 'v1alpha1', 'ScaledObject', 'scaledobjects'],
  ['monitoring.coreos.com', 'v1', 'PodMonitor', 'podmonitors'],
  ['monitoring.coreos.com', 'v1', 'PrometheusRule', 'prometheusrules'],
];

const definitionOf = ([group, name, kind, plural]) => {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase() },
      versions: [{ name, served: true, storage: true, schema }],
    },
  };
};

export async function createKinds(api) {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (const kind of kinds) await api.create(path, definitionOf(kind));
  for (const [group, , , plural] of kinds) await established(api, `${path}/${plural}.${group}`);
}

async function established(api, path) {
  for (let tries = 0; tries < 60; tries += 1) {
    const { status } = JSON.parse((await api.ask('GET', path)).text);
    if (status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True')) return;
    await sleep(500);
  }
  throw new Error(`${path} is not established`);
}
