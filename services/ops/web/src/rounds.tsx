import type { JSX } from 'preact';
import type { RoundState, RoundView, Snapshot } from '../../console/messages';
import { clock, count, duration, percent, text } from './format';
import { Icon } from './icons';
import { keyOf } from './merged-view';
import { decisionSeconds, stateIcons, stateOf, stateWords, timeUsed } from './round-state';
import { roundAddress } from './addresses';
import { Scatter } from './scatter';

export function StateMark({ state }: { readonly state: RoundState }): JSX.Element {
  return (
    <span class={`state ${state}`}>
      <Icon name={stateIcons[state]} /> {stateWords[state]}
    </span>
  );
}

function TimeBar({ round, now }: { round: RoundView; now: number }): JSX.Element {
  const used = timeUsed(round, now);
  const width = `${(100 * Math.min(1, Math.max(0.01, used))).toFixed(1)}%`;
  return (
    <span class="time-bar" aria-hidden="true">
      <span class={used > 1 ? 'late' : ''} style={{ width }} />
    </span>
  );
}

function RoundRow({ round, now }: { round: RoundView; now: number }): JSX.Element {
  const { decision, candidates, shards } = round;
  const seconds = decisionSeconds(round);
  return (
    <tr>
      <td class="time">{clock(round.manifestAt)}</td>
      <th scope="row">
        <a class="id" href={roundAddress(round)}>
          {round.roundId}
        </a>
      </th>
      <td>
        <span class="zone">{round.zoneId}</span>
      </td>
      <td class="right">{count(candidates).value}</td>
      <td class="right">{count(shards).value}</td>
      <td class="right">{decision === null ? '' : text(percent(decision.coverage))}</td>
      <td class="right">{seconds === null ? '' : text(duration(seconds))}</td>
      <td>
        <TimeBar round={round} now={now} />
      </td>
      <td>
        <StateMark state={stateOf(round, now)} />
      </td>
    </tr>
  );
}

const rows = 12;

/** Open rounds come first; then the last ones that were decided. */
function shownRounds({ rounds, at }: Snapshot): RoundView[] {
  const open = rounds.filter((round) => ['waiting', 'overdue'].includes(stateOf(round, at)));
  const others = rounds.filter((round) => !open.includes(round)).reverse();
  return [...open.reverse(), ...others].slice(0, rows);
}

const legend = ['complete', 'partial', 'late', 'waiting'] as const;

const columns = [
  ['Came', ''],
  ['Round', ''],
  ['Zone', ''],
  ['Candidates', 'right'],
  ['Shards', 'right'],
  ['Coverage', 'right'],
  ['Decided in', 'right'],
  ['Of its time', ''],
  ['State', ''],
] as const;

function RoundsTable({ shown, now }: { shown: readonly RoundView[]; now: number }): JSX.Element {
  return (
    <div class="wide" tabIndex={0} role="region" aria-label="Table of rounds">
      <table>
        <thead>
          <tr>
            {columns.map(([name, side]) => (
              <th key={name} scope="col" class={side}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((round) => (
            <RoundRow key={keyOf(round)} round={round} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The rounds of late: how much of their time they took, and the last of them in figures. */
export function Rounds({ view }: { readonly view: Snapshot }): JSX.Element {
  const shown = shownRounds(view);
  return (
    <section aria-labelledby="rounds-title" class="panel rounds">
      <h2 id="rounds-title">
        Rounds <small>time used until the decision, last three minutes</small>
      </h2>
      <ul class="legend states" aria-hidden="true">
        {legend.map((state) => (
          <li key={state}>
            <span class={`key ${state}`} /> {stateWords[state]}
          </li>
        ))}
      </ul>
      <Scatter view={view} />
      {shown.length === 0 ? (
        <p class="empty">No round has come yet. POST one to ingest, and it shows up here.</p>
      ) : (
        <RoundsTable shown={shown} now={view.at} />
      )}
    </section>
  );
}
