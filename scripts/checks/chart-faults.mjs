/** What we promise of whatever the chart renders, one sentence for each fault. */
export function chartFaults(objects) {
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  return [
    ...deployments.flatMap((deployment) =>
      podFaults(deployment.spec.template.spec).map((fault) => `${deployment.metadata.name}: ${fault}`),
    ),
    ...deployments.flatMap((deployment) => coverFaults(deployment, objects)),
    ...repeated(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).map(
      (name) => `${name}: twice`,
    ),
    ...serviceFaults(objects, deployments),
    ...traceFaults(objects),
  ];
}

function podFaults(pod) {
  const [container] = pod.containers;
  const stops = Number(container.lifecycle?.preStop?.exec?.command.at(-1));
  const checks = [
    [pod.securityContext?.runAsNonRoot === true, 'may run as root'],
    [pod.automountServiceAccountToken === false, 'has a token for the API'],
    [container.securityContext?.readOnlyRootFilesystem === true, 'its root file system can be written to'],
    [container.securityContext?.allowPrivilegeEscalation === false, 'may gain privileges'],
    [container.securityContext?.capabilities?.drop?.[0] === 'ALL', 'keeps capabilities'],
    [container.livenessProbe && container.readinessProbe && container.startupProbe, 'lacks a probe'],
    [
      container.resources?.requests && container.resources?.limits?.memory,
      'lacks requests or a limit of memory',
    ],
    [pod.terminationGracePeriodSeconds >= stops + 15, 'has less than 15 s for its stop behind preStop'],
  ];
  const mounts = new Set(pod.volumes.map(({ name }) => name));
  return [
    ...checks.filter(([holds]) => !holds).map(([, fault]) => fault),
    ...container.volumeMounts.filter(({ name }) => !mounts.has(name)).map(({ name }) => `no volume ${name}`),
  ];
}

const matches = (selector, labels) =>
  Object.entries(selector ?? {}).every(([key, value]) => labels[key] === value);

/** Each has a policy of the network and, but for ops, a disruption budget, where the chart has any. */
function coverFaults({ metadata, spec }, objects) {
  const { labels } = spec.template.metadata;
  const isCovered = (kind, selectorOf) => {
    const all = objects.filter((object) => object.kind === kind);
    return all.length === 0 || all.some((object) => matches(selectorOf(object.spec), labels));
  };
  const isOps = labels['app.kubernetes.io/component'] === 'ops';
  return [
    ...(matches(spec.selector.matchLabels, labels) ? [] : [`${metadata.name}: does not select its own pods`]),
    ...(isCovered('NetworkPolicy', ({ podSelector }) => podSelector.matchLabels)
      ? []
      : [`${metadata.name}: no NetworkPolicy`]),
    ...(isOps || isCovered('PodDisruptionBudget', ({ selector }) => selector.matchLabels)
      ? []
      : [`${metadata.name}: no PodDisruptionBudget`]),
  ];
}

/** A service selects pods of one deployment, by a name of its ports. */
function serviceFaults(objects, deployments) {
  return objects
    .filter(({ kind }) => kind === 'Service')
    .flatMap(({ metadata, spec }) => {
      const found = deployments.filter((one) => matches(spec.selector, one.spec.template.metadata.labels));
      if (found.length !== 1) return [`Service ${metadata.name}: selects ${found.length} deployments`];
      const ports = new Set(found[0].spec.template.spec.containers[0].ports.map(({ name }) => name));
      return spec.ports
        .filter(({ targetPort }) => !ports.has(targetPort))
        .map(({ targetPort }) => `Service ${metadata.name}: no port ${targetPort}`);
    });
}

/** Where spans are to go, every policy of the network lets them out. */
function traceFaults(objects) {
  const endpoints = objects.flatMap(({ data }) => data?.OTEL_EXPORTER_OTLP_ENDPOINT ?? []);
  const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy');
  return endpoints.flatMap((endpoint) => {
    const port = Number(new URL(endpoint).port);
    const letsOut = ({ spec }) =>
      spec.egress?.some(({ ports = [] }) => ports.some((one) => one.port === port));
    return policies
      .filter((policy) => !letsOut(policy))
      .map(({ metadata }) => `NetworkPolicy ${metadata.name}: keeps spans from ${endpoint}`);
  });
}

function repeated(names) {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

/** Settings that no process knows, in config maps and in what containers get beside them. */
export function settingFaults(objects, knownKeys) {
  const keys = objects.flatMap(({ kind, data, spec }) => {
    if (kind === 'ConfigMap') return Object.keys(data);
    return kind === 'Deployment' ? spec.template.spec.containers[0].env.map(({ name }) => name) : [];
  });
  const ours = new Set(keys.filter((key) => key.startsWith('ROUNDHOUSE_')));
  return [...ours].filter((key) => !knownKeys.includes(key)).map((key) => `no process knows ${key}`);
}
