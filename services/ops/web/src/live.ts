import { useEffect, useState } from 'preact/hooks';
import type { FigureId, RoundView, Snapshot, Tick } from '../../console/messages';

export type Connection = 'connecting' | 'live' | 'lost';

/** What the page knows. */
export interface Live {
  readonly connection: Connection;
  /** The last look, with what was remembered of those before; null before the first. */
  readonly view: Snapshot | null;
}

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

/** The service's events. A browser connects again by itself where it may; where it gave up, we do. */
export function useLive(): Live {
  const [live, setLive] = useState<Live>({ connection: 'connecting', view: null });
  useEffect(() => {
    let source: EventSource;
    let retry = 0;
    const open = (): void => {
      source = new EventSource('/api/live');
      source.addEventListener('snapshot', ({ data }: MessageEvent<string>) =>
        setLive({ connection: 'live', view: JSON.parse(data) as Snapshot }),
      );
      source.addEventListener('tick', ({ data }: MessageEvent<string>) =>
        setLive(({ view }) => {
          return { connection: 'live', view: view && afterTick(view, JSON.parse(data) as Tick) };
        }),
      );
      source.addEventListener('error', () => {
        setLive(({ view }) => ({ connection: view === null ? 'connecting' : 'lost', view }));
        if (source.readyState === EventSource.CLOSED) retry = window.setTimeout(open, 2_000);
      });
    };
    open();
    return () => {
      window.clearTimeout(retry);
      source.close();
    };
  }, []);
  return live;
}
