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
  for (const kind of kinds) {
    await api.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definitionOf(kind));
  }
}
