import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { troubleEndedAt } from './costs';
import { clock, counted } from './format';
import { Icon, Mark } from './icons';
import type { Live } from './live';
import { overviewAddress } from './addresses';
import { Search } from './search';
import { chooseTheme, chosenTheme, nextTheme } from './theme-choice';

const themeWords = { auto: 'as the system', light: 'light', dark: 'dark' } as const;

function ThemeButton(): JSX.Element {
  const [theme, setTheme] = useState(chosenTheme);
  const change = (): void => {
    const next = nextTheme(theme);
    chooseTheme(next);
    setTheme(next);
  };
  return (
    <button type="button" class="quiet" id="theme" onClick={change} title="Theme (t)">
      <Icon name={theme} />
      <span class="hidden">Theme: {themeWords[theme]}. Change</span>
    </button>
  );
}

/** One sentence: how things are. */
function statusWords({ connection, view, refusal }: Live): string {
  if (refusal !== null) return refusal;
  if (view === null) return 'Connecting…';
  if (connection === 'lost') return `No connection since ${clock(view.at)}`;
  const { level, problems, counts } = view;
  if (level !== 'ok') return counted(problems.length, 'problem');
  const since = troubleEndedAt(view.recent, view.at);
  const well = since === null ? 'All is well' : `All is well again since ${clock(since)}`;
  return counts.waiting === 0 ? well : `${well}, ${counted(counts.waiting, 'round')} on the way`;
}

/** Said aloud by readers only when it is another state, not when counts change. */
function spokenWords({ connection, view, refusal }: Live): string {
  if (refusal !== null) return refusal;
  if (view === null) return '';
  if (connection === 'lost') return 'The connection is lost';
  const worst = view.problems[0];
  return worst === undefined ? 'All is well' : `${worst.where}: ${worst.words.replace(/\d+/g, 'some')}`;
}

export function TopBar({ live }: { readonly live: Live }): JSX.Element {
  const { connection, view } = live;
  const level = connection === 'live' ? (view?.level ?? 'wait') : 'wait';
  return (
    <header class="top">
      <a class="brand" href={overviewAddress}>
        <Mark /> <strong>Roundhouse</strong>
        {view !== null && view.prefix !== '' && <span class="prefix">{view.prefix}</span>}
      </a>
      <p class={`status ${level}`}>
        <Icon name={level} /> {statusWords(live)}
      </p>
      <p class="hidden" role="status">
        {spokenWords(live)}
      </p>
      <Search />
      <span class="clock" title="The last look">
        {view === null ? '' : clock(view.at)}
      </span>
      <ThemeButton />
    </header>
  );
}
