import type { EngineFacts, IncidentFacts } from './scrape-service';

type Fields = Readonly<Record<string, unknown>>;

/** Longer words of a process than anybody would read. */
const mostLetters = 2_000;
/** Far above what a worker has. */
const mostEntries = 1_000;

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, mostLetters) : '';
}

function number(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? text(value) : null;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

/** Words by names; what else stands there is left out. */
function words(value: unknown): Record<string, string> {
  const entries = Object.entries(fieldsOf(value)).slice(0, mostEntries);
  return Object.fromEntries(
    entries.flatMap(([name, said]) => (typeof said === 'string' ? [[text(name), text(said)]] : [])),
  );
}

/** Those of a list that have an id. */
function named(value: unknown): Fields[] {
  const list: readonly unknown[] = Array.isArray(value) ? value.slice(0, mostEntries) : [];
  return list.map(fieldsOf).filter(({ id }) => typeof id === 'string' && id !== '');
}

function engine({ id, state, reason, device, incarnation }: Fields): EngineFacts {
  return {
    id: text(id),
    state: text(state),
    reason: text(reason),
    device: text(device),
    incarnation: number(incarnation),
  };
}

function lostEngine(value: unknown): IncidentFacts['engine'] {
  if (typeof value !== 'object' || value === null) return null;
  const { pid, device, exitCode, signal, upMs } = value as Fields;
  return {
    pid: number(pid),
    device: text(device),
    exitCode: numberOrNull(exitCode),
    signal: textOrNull(signal),
    upMs: number(upMs),
  };
}

function incident({ id, kind, role, reason, at, reaction, engine: lost }: Fields): IncidentFacts {
  return {
    id: text(id),
    kind: text(kind),
    role: text(role),
    reason: text(reason),
    at: text(at),
    reaction: text(reaction),
    engine: lostEngine(lost),
  };
}

/** Of /readyz. Whatever else a process answers there has no reasons and no warnings. */
export function readReadiness(answer: unknown): {
  readonly reasons: Record<string, string>;
  readonly warnings: Record<string, string>;
} {
  const { reasons, warnings } = fieldsOf(answer);
  return { reasons: words(reasons), warnings: words(warnings) };
}

/** Of a worker's /status. One that is newer or older may say more or less; nothing that it says breaks the console. */
export function readStatus(answer: unknown): {
  readonly engines: EngineFacts[];
  readonly incidents: IncidentFacts[];
} {
  const { engines, incidents } = fieldsOf(answer);
  return { engines: named(engines).map(engine), incidents: named(incidents).map(incident) };
}
