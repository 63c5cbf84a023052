/** A line for an operator. */
export interface Line {
  readonly level: 'warn' | 'bad';
  /** Which part: `worker`, `Kafka`, `rounds`, … */
  readonly where: string;
  readonly words: string;
  /** The page of the runbook, without `.md`. */
  readonly runbook: string;
}

/** Something that is wrong at the moment of a look, or that happened since the one before. */
export interface Signal extends Line {
  /** What it is, of which part: `silent:worker/worker-1`. The same at every look. */
  readonly id: string;
  /** Ids of what would explain it, the likeliest first. One that ends with `*` is of all that begin so. */
  readonly after: readonly string[];
  /** How often it happened since the look before; null: a state, which lasts. */
  readonly times: number | null;
  /** An incident of a worker's, that has a report. */
  readonly report?: { readonly worker: string; readonly id: string };
}

/** What explains the others, and what it explains. */
export interface Explained {
  /** Null where it is over: `id` was seen at an earlier look. */
  readonly root: Signal | null;
  readonly id: string;
  readonly consequences: readonly Signal[];
}

const matches = (pattern: string, id: string): boolean =>
  pattern.endsWith('*') ? id.startsWith(pattern.slice(0, -1)) : id === pattern;

/** The id among these that explains it, by the order of its own list; null where none does. */
export function explanationOf(
  { id, after }: Pick<Signal, 'id' | 'after'>,
  ids: readonly string[],
): string | null {
  for (const pattern of after) {
    const found = ids.find((other) => other !== id && matches(pattern, other));
    if (found !== undefined) return found;
  }
  return null;
}

/** Of causes that are over the newest: `ids` stand in that order. */
function pastExplanationOf({ id, after }: Signal, ids: readonly string[]): string | null {
  return ids.find((other) => other !== id && after.some((pattern) => matches(pattern, other))) ?? null;
}

/**
 * Each signal under what explains it: a broker that is gone explains services that are not ready, and these explain a group
 * without members. Causes stand before what they may explain, so nothing explains itself in a circle. `lately`: ids of
 * causes that are over, the newest first; they explain what no cause of now does.
 */
export function explain(signals: readonly Signal[], lately: readonly string[] = []): Explained[] {
  const present = new Set(signals.map(({ id }) => id));
  const past = lately.filter((id) => !present.has(id));
  const rootOf = new Map(past.map((id) => [id, id]));
  const ids: string[] = [];
  const found = new Map<string, { root: Signal | null; consequences: Signal[] }>();
  for (const signal of signals) {
    const cause = explanationOf(signal, ids) ?? pastExplanationOf(signal, past);
    const root = cause === null ? signal.id : rootOf.get(cause)!;
    const group = found.get(root) ?? { root: null, consequences: [] };
    if (cause === null) group.root = signal;
    else group.consequences.push(signal);
    found.set(root, group);
    rootOf.set(signal.id, root);
    ids.push(signal.id);
  }
  return [...found].map(([id, group]) => ({ id, ...group }));
}
