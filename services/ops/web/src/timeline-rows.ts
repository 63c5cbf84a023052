import type { RoundDetail, RoundView, ShardTrack } from '../../console/messages';

/** A piece of time of a row, Unix ms. */
export interface Piece {
  readonly from: number;
  readonly to: number;
  /** `wait`: lighter; the others by what happens there. */
  readonly kind: 'step' | 'wait' | 'work' | 'fault';
  readonly words: string;
  readonly label?: string;
}

export interface Row {
  readonly title: string;
  readonly pieces: readonly Piece[];
}

export interface TimelineRows {
  readonly begin: number;
  readonly end: number;
  readonly ingest: Row;
  readonly shards: readonly Row[];
  readonly aggregator: Row;
  /** Further shards, for which there is no room. */
  readonly left: number;
}

const mostShards = 160;

function ms(value: number): string {
  return `${value >= 100 ? value.toFixed(0) : value.toFixed(1)} ms`;
}

/** Steps that follow one another from a time on. */
function stepsFrom(begin: number, phases: RoundView['phases']): Piece[] {
  let at = begin;
  return Object.entries(phases).map(([name, took]) => {
    const from = at;
    at += took;
    return { from, to: at, kind: 'step', words: `${name}: ${ms(took)}`, label: name } as const;
  });
}

/** Steps of ingest that follow one another; the others are parts of them. */
const ingestSteps: Readonly<Record<string, readonly string[]>> = {
  read: ['parse', 'view', 'hash', 'validate'],
  claim: [],
  prepare: ['candidates', 'cut', 'encode'],
  shards: [],
  manifest: [],
};

/** `prepare: 21.3 ms, of it candidates 6.3 ms, cut 11.0 ms`. */
function stepWords(name: string, phases: RoundView['phases']): string {
  const parts = (ingestSteps[name] ?? []).filter((part) => phases[part] !== undefined);
  const words = parts.map((part) => `${part} ${ms(phases[part]!)}`).join(', ');
  return `${name}: ${ms(phases[name]!)}${words === '' ? '' : `, of it ${words}`}`;
}

function ingestRow({ receivedAt, manifestAt, phases }: RoundView): Row {
  const names = Object.keys(ingestSteps).filter((name) => phases[name] !== undefined);
  const taken = Object.fromEntries(names.map((name) => [name, phases[name]!]));
  const steps = receivedAt === null ? [] : stepsFrom(receivedAt, taken);
  const pieces = steps.map((piece, index) => ({ ...piece, words: stepWords(names[index]!, phases) }));
  const from = Math.min(pieces.at(-1)?.to ?? manifestAt, manifestAt);
  const published: Piece = { from, to: manifestAt, kind: 'wait', words: 'manifest to Kafka' };
  return { title: 'Ingest', pieces: [...pieces, published] };
}

/** Every step of the services in words, for who does not see the bars. */
export function stepsInWords({
  phases,
  decision,
}: RoundView): { readonly service: string; readonly words: string }[] {
  const ingest = Object.keys(ingestSteps).filter((name) => phases[name] !== undefined);
  const aggregator = Object.entries(decision?.phases ?? {});
  return [
    ...ingest.map((name) => ({ service: 'ingest', words: stepWords(name, phases) })),
    ...aggregator.map(([name, took]) => ({ service: 'aggregator', words: `${name}: ${ms(took)}` })),
  ];
}

/** The round is taken in when its manifest is on Kafka; what follows ends with the close, after its outcomes have come. */
function aggregatorRow({ manifestAt, decision }: RoundView): Row {
  const title = 'Aggregator';
  if (decision === null) return { title, pieces: [] };
  const { closedAt, decidedAt, phases } = decision;
  const end = Math.min(closedAt ?? decidedAt, decidedAt);
  const { take, ...closing } = phases;
  const total = Object.values(closing).reduce((sum, took) => sum + took, 0);
  const taken = take === undefined ? [] : stepsFrom(manifestAt, { take });
  const steps = stepsFrom(end - total, closing);
  return {
    title,
    pieces: [...taken, ...steps, { from: end, to: decidedAt, kind: 'wait', words: 'decision to Kafka' }],
  };
}

function computedPieces({ appendedAt, backend, answeredAt }: ShardTrack): Piece[] {
  if (backend === null) return [];
  const { start, end } = backend;
  const waited = appendedAt === null ? 0 : start - appendedAt;
  const pieces: Piece[] = [{ from: start, to: end, kind: 'work', words: `computed in ${ms(end - start)}` }];
  if (waited > 0)
    pieces.unshift({ from: start - waited, to: start, kind: 'wait', words: `waited ${ms(waited)}` });
  if (answeredAt !== null)
    pieces.push({ from: end, to: Math.max(end, answeredAt), kind: 'wait', words: 'outcome to Kafka' });
  return pieces;
}

/** `last`: when what has no end yet is drawn to. */
function shardRow(shard: ShardTrack, last: number): Row {
  const { index, appendedAt, backend, answeredAt, status, code } = shard;
  const title = `Shard ${index}`;
  if (backend !== null) return { title, pieces: computedPieces(shard) };
  if (appendedAt === null && answeredAt === null) return { title, pieces: [] };
  const isOver = status !== null && status !== 'solved';
  const [from, to] = [appendedAt ?? answeredAt!, answeredAt ?? last];
  const words = isOver
    ? `${status}${code === null ? '' : `: ${code}`} after ${ms(to - from)}`
    : `waits ${ms(to - from)}`;
  return { title, pieces: [{ from, to, kind: isOver ? 'fault' : 'wait', words }] };
}

/** A round's way as rows over one axis, which ends a little after what happened last. */
export function timelineRows(
  { round, shards }: Pick<RoundDetail, 'round' | 'shards'>,
  now: number,
): TimelineRows {
  const begin =
    round.receivedAt ?? Math.min(round.manifestAt, ...shards.map(({ appendedAt }) => appendedAt ?? Infinity));
  const last = round.decision?.decidedAt ?? Math.min(now, round.deadline + 1_000);
  const end = begin + Math.max(5, last - begin) * 1.04;
  return {
    begin,
    end,
    ingest: ingestRow(round),
    shards: shards.slice(0, mostShards).map((shard) => shardRow(shard, last)),
    aggregator: aggregatorRow(round),
    left: Math.max(0, shards.length - mostShards),
  };
}
