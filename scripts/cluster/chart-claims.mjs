/** What holds of a release whose pods are all ready; a sentence a fault. Plain data as the API server shows it. */
export function podFaults(deployments, pods, events) {
  const counts = deployments.map(({ metadata, spec, status }) => {
    const own = pods.filter(({ metadata: { labels, deletionTimestamp } }) => {
      const isOwn = Object.entries(spec.selector.matchLabels).every(([key, value]) => labels[key] === value);
      return isOwn && deletionTimestamp === undefined;
    });
    const isWell = own.length === spec.replicas && status.readyReplicas === spec.replicas;
    return isWell
      ? null
      : `${metadata.name}: ${status.readyReplicas ?? 0} of ${spec.replicas} ready, ${own.length} pods`;
  });
  const refused = events
    .filter(({ reason }) => ['FailedCreate', 'ReplicaSetCreateError'].includes(reason))
    .map(({ involvedObject, message }) => `${involvedObject.name}: ${message}`);
  return [...counts.filter((fault) => fault !== null), ...new Set(refused)];
}

/** Each budget has pods, and lets one of them go. */
export const budgetFaults = (budgets) =>
  budgets
    .filter(({ status }) => !(status?.expectedPods > 0 && status.disruptionsAllowed === 1))
    .map(({ metadata, status }) => {
      const { expectedPods = 0, disruptionsAllowed = 0 } = status ?? {};
      return `budget ${metadata.name}: ${disruptionsAllowed} of ${expectedPods} pods may go`;
    });

/** Each service has an address, and a number for each of its ports. */
export function endpointFaults(services, slices) {
  return services.flatMap(({ metadata, spec }) => {
    const own = slices.filter(
      (slice) => slice.metadata.labels['kubernetes.io/service-name'] === metadata.name,
    );
    const addresses = own
      .flatMap(({ endpoints }) => endpoints ?? [])
      .filter(({ conditions }) => conditions.ready);
    const ports = new Set(own.flatMap((slice) => slice.ports ?? []).map(({ port }) => port));
    if (addresses.length === 0) return [`service ${metadata.name}: no address`];
    return ports.size >= spec.ports.length
      ? []
      : [`service ${metadata.name}: ${ports.size} of ${spec.ports.length} ports`];
  });
}

/** Longer than preStop (35 s with the chart's 30 s for a round) and the 20 s of a stop. */
export function graceFaults(graces, leastSeconds = 55) {
  const faults = [...graces]
    .filter(([, seconds]) => seconds < leastSeconds)
    .map(([component, seconds]) => `${component} has ${seconds} s to stop, not ${leastSeconds}`);
  return graces.size === 0 ? ['no pod was told to go'] : faults;
}

/** What is left of a release: not events, nor what every namespace has. */
export const leftovers = (kind, objects) =>
  objects
    .map(({ metadata }) => metadata.name)
    .filter((name) => kind !== 'events' && !['kube-root-ca.crt', 'default'].includes(name))
    .map((name) => `${kind} ${name} is left`);
