import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { RoundView } from '../../console/messages';
import { useAnswer } from './ask';
import { clock } from './format';
import { Icon } from './icons';
import { keyOf } from './merged-view';
import { roundAddress } from './addresses';

const pauseMs = 200;

/** What was typed, once the typing pauses. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setSettled(text), pauseMs);
    return () => window.clearTimeout(timer);
  }, [text]);
  return settled;
}

function Results({ text, onChosen }: { text: string; onChosen(): void }): JSX.Element {
  const asked = useAnswer<{ rounds: RoundView[] }>(`/api/rounds?${new URLSearchParams({ text })}`);
  const rounds = asked.state === 'here' ? asked.value.rounds : [];
  const words = asked.state === 'waiting' ? 'Looking…' : 'No such round is remembered';
  return (
    <div class="results">
      <p class={rounds.length === 0 ? 'muted' : 'hidden'} role="status">
        {rounds.length === 0 ? words : `${rounds.length} found`}
      </p>
      <ul>
        {rounds.slice(0, 12).map((round) => (
          <li key={keyOf(round)}>
            <a href={roundAddress(round)} onClick={onChosen}>
              <span class="id">{round.roundId}</span>
              <span class="muted">
                {round.runId} · {round.zoneId} · {clock(round.manifestAt)}
              </span>
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Rounds by a part of their id, run, zone or trace. */
export function Search(): JSX.Element {
  const [text, setText] = useState('');
  const settled = useSettled(text.trim());
  const clear = (): void => setText('');
  const escape = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || text === '') return;
    event.stopPropagation();
    clear();
  };
  return (
    <search class="search" onKeyDown={escape}>
      <Icon name="search" />
      <input
        id="search"
        type="search"
        placeholder="Find a round"
        aria-label="Find a round by its id, run, zone or trace"
        aria-keyshortcuts="/"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
      />
      <kbd aria-hidden="true">/</kbd>
      {settled !== '' && text !== '' && <Results text={settled.slice(0, 200)} onChosen={clear} />}
    </search>
  );
}
