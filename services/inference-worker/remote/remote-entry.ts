import { shownText } from '#schemas/shown-text';
import type { Fault } from '#schemas/errors';

/** `worker`: through its supervisor; `triton`: a stock Triton server with our backends. */
export const remoteKinds = ['worker', 'triton'] as const;
export type RemoteKind = (typeof remoteKinds)[number];

/** Where engines of others are. */
export interface RemoteEntry {
  readonly name: string;
  /** host:port of its gRPC side. */
  readonly address: string;
  readonly kind: RemoteKind;
  /** As it stands in outcomes where the remote doesn't say it itself. */
  readonly device: string;
}

export const mostRemotes = 1_000;
const namePattern = /^[\w.:[\]-]{1,100}$/;
const addressPattern = /^(?:[A-Za-z0-9_.-]{1,255}|\[[0-9a-fA-F:.%]{2,45}\]):(\d{1,5})$/;
const devicePattern = /^[\w .:-]{0,64}$/;
const fields = ['name', 'address', 'kind', 'device'];

export function isAddress(text: string): boolean {
  const port = Number(addressPattern.exec(text)?.[1]);
  return port >= 1 && port <= 65_535;
}

const shown = (value: unknown): string => shownText(JSON.stringify(value) ?? 'nothing', 100);

/** One entry as JSON has it; what is wrong is added to `faults`, under `path`. `kind`: where it isn't said. */
export function readEntry(value: unknown, path: string, faults: Fault[]): RemoteEntry | null {
  const before = faults.length;
  const wrong = (at: string, found: unknown, limit: string): void =>
    void faults.push({ path: `${path}${at}`, value: shown(found), limit });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    wrong('', value, 'an object with an address');
    return null;
  }
  const { address, name = address, kind = 'worker', device = '' } = value as Record<string, unknown>;
  for (const key of Object.keys(value))
    if (!fields.includes(key)) wrong(`.${shownText(key, 50)}`, '…', `one of ${fields.join(', ')}`);
  if (typeof address !== 'string' || !isAddress(address)) wrong('.address', address, 'host:port');
  else if (typeof name !== 'string' || !namePattern.test(name))
    wrong('.name', name, '1 to 100 letters, digits and . : _ -');
  if (!remoteKinds.some((known) => known === kind)) wrong('.kind', kind, `one of ${remoteKinds.join(', ')}`);
  if (typeof device !== 'string' || !devicePattern.test(device))
    wrong('.device', device, 'at most 64 letters, digits and . : _ -');
  if (faults.length > before) return null;
  return { name, address, kind, device } as RemoteEntry;
}

/** {"engines": [{"address": "host:port", "name": …, "kind": …, "device": …}, …]}, with every fault. */
export function readEntries(value: unknown): {
  readonly entries: readonly RemoteEntry[];
  readonly faults: readonly Fault[];
} {
  const faults: Fault[] = [];
  const engines = (value as { readonly engines?: unknown } | null)?.engines;
  if (!Array.isArray(engines) || engines.length > mostRemotes) {
    return {
      entries: [],
      faults: [{ path: 'engines', value: shown(engines), limit: `a list of at most ${mostRemotes}` }],
    };
  }
  const entries: RemoteEntry[] = [];
  const names = new Set<string>();
  engines.forEach((one: unknown, at) => {
    const entry = readEntry(one, `engines[${at}]`, faults);
    if (entry === null) return;
    if (names.has(entry.name))
      faults.push({ path: `engines[${at}].name`, value: entry.name, limit: 'a name that no other has' });
    names.add(entry.name);
    entries.push(entry);
  });
  return { entries, faults };
}
