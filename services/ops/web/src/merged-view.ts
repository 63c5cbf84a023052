import type { FigureId, RoundView, Snapshot, Tick } from '../../console/messages';

const mostRounds = 400;

interface RoundIds {
  readonly tenantId: string;
  readonly runId: string;
  readonly roundId: string;
}

export function keyOf({ tenantId, runId, roundId }: RoundIds): string {
  return JSON.stringify([tenantId, runId, roundId]);
}

/** Newer ones take the place of those that they change; the newest are last. */
export function mergedRounds(
  known: readonly RoundView[],
  changed: readonly RoundView[],
): readonly RoundView[] {
  if (changed.length === 0) return known;
  const rounds = new Map(known.map((round) => [keyOf(round), round]));
  for (const round of changed) rounds.set(keyOf(round), round);
  return [...rounds.values()].sort((a, b) => a.manifestAt - b.manifestAt).slice(-mostRounds);
}

export function afterTick(view: Snapshot, tick: Tick): Snapshot {
  const { at, figures } = view.history;
  const from = at.length >= 150 ? 1 : 0;
  const grown = { ...figures };
  for (const id of Object.keys(figures) as FigureId[])
    grown[id] = [...figures[id].slice(from), tick.figures[id]];
  return {
    ...view,
    ...tick,
    rounds: mergedRounds(view.rounds, tick.rounds),
    history: {
      at: [...at.slice(from), tick.at],
      figures: grown,
    },
  };
}
