import type { JSX } from 'preact';
import { useCallback, useEffect, useState } from 'preact/hooks';
import { Dialog } from './dialog';
import { Figures } from './figures';
import { Groups } from './groups';
import { IncidentPage } from './incident-page';
import { useKeys } from './keys';
import { useLive, type Live } from './live';
import { Engines, Incidents, Services } from './machines';
import { Problems } from './problems';
import { Recently } from './recently';
import { RoundPage } from './round-page';
import { Rounds } from './rounds';
import { type Route } from './addresses';
import { useRoute } from './routes';
import { TopBar } from './top-bar';
import { Way } from './way';

function Overview({ view }: Pick<Live, 'view'>): JSX.Element {
  return (
    <>
      <h1 class="hidden">Overview</h1>
      <Problems problems={view?.problems ?? []} now={view?.at ?? 0} />
      {view !== null && <Recently view={view} />}
      <Way view={view} />
      <Figures view={view} />
      {view !== null && (
        <div class="columns">
          <div class="column">
            <Rounds view={view} />
            <Groups view={view} />
          </div>
          <div class="column">
            <Engines view={view} />
            <Incidents view={view} />
            <Services view={view} />
          </div>
        </div>
      )}
    </>
  );
}

function Page({ route, live: { view } }: { route: Route; live: Live }): JSX.Element {
  if (route.page === 'round') return <RoundPage route={route} view={view} />;
  if (route.page === 'incident') return <IncidentPage route={route} />;
  return <Overview view={view} />;
}

const keys = [
  ['/', 'find a round'],
  ['t', 'change the theme'],
  ['Esc', 'back to the overview'],
  ['?', 'these keys'],
] as const;

function KeysDialog({ onClose }: { onClose(): void }): JSX.Element {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {keys.map(([key, words]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

function titleOf(route: Route, { view }: Live): string {
  const mark = view === null || view.level === 'ok' ? '' : `(${view.problems.length}) `;
  return route.page === 'round' ? `${mark}${route.roundId} · Roundhouse` : `${mark}Roundhouse`;
}

export function App(): JSX.Element {
  const live = useLive();
  const route = useRoute();
  const [isTellingKeys, setTellingKeys] = useState(false);
  useKeys(useCallback(() => setTellingKeys(true), []));
  const title = titleOf(route, live);
  useEffect(() => void (document.title = title), [title]);
  // A page of its own takes the reader along; the overview keeps where it was.
  useEffect(() => {
    if (route.page !== 'overview') document.getElementById('page-title')?.focus();
  }, [route.page]);
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to the content
      </a>
      <TopBar live={live} />
      <main id="main" tabIndex={-1} class={live.connection === 'lost' ? 'stale' : ''}>
        <Page route={route} live={live} />
      </main>
      {isTellingKeys && <KeysDialog onClose={() => setTellingKeys(false)} />}
    </>
  );
}

/** The address behind `#` is the page's own. */
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
