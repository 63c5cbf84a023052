import { useEffect, useState } from 'preact/hooks';
import type { Snapshot, Tick } from '../../console/messages';
import { afterTick } from './merged-view';

export type Connection = 'connecting' | 'live' | 'lost';

/** What the page knows. */
export interface Live {
  readonly connection: Connection;
  /** The last look, with what was remembered of those before; null before the first. */
  readonly view: Snapshot | null;
  /** Why the service takes no viewer; null where it does, or nobody answers. */
  readonly refusal: string | null;
}

const refusals: Readonly<Record<number, string>> = {
  401: 'A certificate is needed',
  429: 'Too many consoles are open from your address',
  503: 'Too many consoles are open',
};
const againMs = 2_000;

/** An event source doesn't say why it was refused. */
async function refusalOf(path: string): Promise<string | null> {
  try {
    return refusals[(await fetch(path, { method: 'HEAD' })).status] ?? null;
  } catch {
    return null;
  }
}

/** The service's events. A browser connects again by itself where it may; where it gave up, we do. */
export function useLive(): Live {
  const [live, setLive] = useState<Live>({ connection: 'connecting', view: null, refusal: null });
  useEffect(() => {
    let source: EventSource;
    let retry = 0;
    const open = (): void => {
      source = new EventSource('/api/live');
      source.addEventListener('snapshot', ({ data }: MessageEvent<string>) =>
        setLive({ connection: 'live', view: JSON.parse(data) as Snapshot, refusal: null }),
      );
      source.addEventListener('tick', ({ data }: MessageEvent<string>) =>
        setLive(({ view }) => {
          const next = view && afterTick(view, JSON.parse(data) as Tick);
          return { connection: 'live', view: next, refusal: null };
        }),
      );
      source.addEventListener('error', () => {
        setLive(({ view, refusal }) => ({
          connection: view === null ? 'connecting' : 'lost',
          view,
          refusal,
        }));
        if (source.readyState !== EventSource.CLOSED) return;
        retry = window.setTimeout(open, againMs);
        void refusalOf('/api/live').then((refusal) => setLive((before) => ({ ...before, refusal })));
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
