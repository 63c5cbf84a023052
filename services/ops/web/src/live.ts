import { useEffect, useState } from 'preact/hooks';
import type { Snapshot, Tick } from '../../console/messages';
import { afterTick } from './merged-view';

export type Connection = 'connecting' | 'live' | 'lost';

/** What the page knows. */
export interface Live {
  readonly connection: Connection;
  /** The last look, with what was remembered of those before; null before the first. */
  readonly view: Snapshot | null;
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
