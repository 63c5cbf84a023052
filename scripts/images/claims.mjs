/**
 * What docs/deployment.md says of every container of ours, against `docker inspect` and /proc/1/status: a sentence for
 * each that doesn't hold. Names of capabilities are not needed: none is a mask of zeros.
 */
export function containerFaults({ inspected, status, changed }) {
  const { Config, HostConfig, State } = inspected;
  const of = (field) => new RegExp(`^${field}:\\s*(.*)$`, 'm').exec(status)?.[1] ?? 'absent';
  return [
    State.Health?.Status === 'healthy' ? null : `health is ${State.Health?.Status ?? 'not checked'}`,
    HostConfig.ReadonlyRootfs ? null : 'the root file system can be written to',
    Config.User === '1000:1000' ? null : `the user is ${Config.User || 'root'}`,
    /^1000\s+1000\s+1000\s+1000$/.test(of('Uid')) ? null : `process 1 has Uid ${of('Uid')}`,
    ...['CapEff', 'CapPrm', 'CapBnd'].map((set) => (/^0+$/.test(of(set)) ? null : `${set} is ${of(set)}`)),
    of('NoNewPrivs') === '1' ? null : `NoNewPrivs is ${of('NoNewPrivs')}`,
    of('Seccomp') === '2' ? null : `Seccomp is ${of('Seccomp')}, not a filter`,
    ...changed.map((path) => `${path} was written to`),
  ].filter((fault) => fault !== null);
}

/** Lines of `docker diff` but for what mounts make: their places, and the folders above them. */
export function changedPaths(diff, mounts) {
  const places = [...mounts, '/proc', '/sys', '/dev', '/etc/hosts', '/etc/hostname', '/etc/resolv.conf'];
  const isOfMount = (path) =>
    places.some((place) => place === path || path.startsWith(`${place}/`) || place.startsWith(`${path}/`));
  return diff
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.slice(2))
    .filter((path) => !isOfMount(path));
}

/** How a container ended that was told to stop in order. */
export function stopFaults({ State }) {
  if (State.Running) return ['is still running'];
  const { ExitCode, OOMKilled } = State;
  return [
    ExitCode === 0 ? null : `ended with ${ExitCode}${ExitCode === 137 ? ' (killed)' : ''}`,
    OOMKilled ? 'was killed for memory' : null,
  ].filter((fault) => fault !== null);
}

/** Bytes of an image in words. */
export const megabytes = (bytes) => Math.round(bytes / 1e6);
