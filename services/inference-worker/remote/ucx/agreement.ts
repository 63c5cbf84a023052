/** What a worker says of its UCX at the handshake; null: it has none, and why. */
export interface UcxOffer {
  /** Of our frames (frames.ts). */
  readonly protocol: number;
  /** Of UCX, "1.22.0". */
  readonly version: string;
  /** "tcp/eth0" */
  readonly transports: readonly string[];
}

/** Between processes of one machine, and within one process. */
const ofOneMachine = new Set(['self', 'posix', 'sysv', 'cma', 'knem', 'xpmem']);

function kindsOf(transports: readonly string[]): string[] {
  return [...new Set(transports.map((name) => name.split('/')[0]!))].filter(
    (kind) => !ofOneMachine.has(kind),
  );
}

/** Releases of one minor version speak with each other; across minor versions it works or it doesn't. */
function minorOf(version: string): string {
  return /^\d+\.\d+/.exec(version)?.[0] ?? version;
}

/** Why two workers don't speak over UCX; null where they do. */
export function whyNotUcx(ours: UcxOffer, theirs: UcxOffer): string | null {
  if (ours.protocol !== theirs.protocol) {
    return `protocol ${ours.protocol} here, ${theirs.protocol} there`;
  }
  if (minorOf(ours.version) !== minorOf(theirs.version)) {
    return `UCX ${ours.version} here, ${theirs.version} there`;
  }
  const there = kindsOf(theirs.transports);
  if (kindsOf(ours.transports).some((kind) => there.includes(kind))) return null;
  return `no transport in common: ${kindsOf(ours.transports).join(' ') || 'none'} here, ${there.join(' ') || 'none'} there`;
}
