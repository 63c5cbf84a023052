import { useEffect, useState } from 'preact/hooks';

export type Asked<T> =
  | { readonly state: 'waiting' }
  | { readonly state: 'failed'; readonly words: string }
  | { readonly state: 'here'; readonly value: T };

async function ask<T>(path: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(path, { signal });
  const body = (await response.json()) as T & { message?: string };
  if (!response.ok) throw new Error(body.message ?? response.statusText);
  return body;
}

/** The answer to a question of the page; asked anew when `version` changes, without showing nothing meanwhile. */
export function useAnswer<T>(path: string | null, version: unknown = 0): Asked<T> {
  const [asked, setAsked] = useState<Asked<T> & { path?: string | null }>({ state: 'waiting' });
  useEffect(() => {
    if (path === null) return;
    const stop = new AbortController();
    ask<T>(path, stop.signal).then(
      (value) => setAsked({ state: 'here', value, path }),
      (error: Error) => {
        if (!stop.signal.aborted) setAsked({ state: 'failed', words: error.message, path });
      },
    );
    return () => stop.abort();
  }, [path, version]);
  return asked.path === path ? asked : { state: 'waiting' };
}
