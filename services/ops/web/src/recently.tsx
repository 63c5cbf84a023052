import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Episode, Snapshot } from '../../console/messages';
import { incidentAddress } from './addresses';
import { costWords, timesWords, whenWords } from './costs';
import { ago, counted } from './format';
import { Icon } from './icons';
import { Consequences, RunbookLink } from './line';

interface EpisodeRowProps {
  readonly episode: Episode;
  readonly now: number;
}

function EpisodeRow({ episode, now }: EpisodeRowProps): JSX.Element {
  const { level, where, words, runbook, beganAt, endedAt, consequences, report } = episode;
  const cost = costWords(episode);
  return (
    <li class="episode">
      <div class="cause">
        <Icon name={level} />
        <span class="hidden">{level === 'bad' ? 'Trouble: ' : 'Warning: '}</span>
        <span class="when" title={ago(endedAt ?? beganAt, now)}>
          {whenWords(episode, now)}
        </span>
        <strong>{where}</strong>
        <span class="words">
          {words}
          {timesWords(episode)}
        </span>
        <span class={cost === '' ? 'cost muted' : 'cost'}>{cost === '' ? 'no round suffered' : cost}</span>
        {report !== null && <a href={incidentAddress(report.worker, report.id)}>report</a>}
        <RunbookLink page={runbook} />
      </div>
      {consequences.length > 0 && (
        <details>
          <summary>{counted(consequences.length, 'consequence')}</summary>
          <Consequences lines={consequences} title="what followed" />
        </details>
      )}
    </li>
  );
}

const listed = 3;

/** What was wrong and is over, the newest first: when, how long, what it cost. */
export function Recently({ view }: { readonly view: Snapshot }): JSX.Element | null {
  const [isWhole, setWhole] = useState(false);
  const standing = new Set(view.problems.map(({ key }) => key));
  const over = view.recent.filter(({ key, endedAt }) => endedAt !== null && !standing.has(key));
  if (over.length === 0) return null;
  const shown = isWhole ? over : over.slice(0, listed);
  return (
    <section aria-labelledby="recently-title" class="panel recently">
      <h2 id="recently-title">
        Recently <small>what began and ended in the last hours, as far as this console was there</small>
        {view.forgets !== null && <small> not kept over a restart: {view.forgets}</small>}
      </h2>
      <ul>
        {shown.map((episode) => (
          <EpisodeRow key={episode.key} episode={episode} now={view.at} />
        ))}
      </ul>
      {over.length > listed && (
        <button type="button" class="quiet" aria-expanded={isWhole} onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Fewer' : `${over.length - listed} more`}
        </button>
      )}
    </section>
  );
}
