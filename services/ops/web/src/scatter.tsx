import type { JSX } from 'preact';
import type { RoundView, Snapshot } from '../../console/messages';
import { clock } from './format';
import { keyOf } from './merged-view';
import { stateOf, timeUsed } from './round-state';
import { roundAddress } from './addresses';

const box = { width: 1_000, height: 150 };
const left = 70;
const above = 12;
const spanMs = 180_000;
/** Beyond it, dots lie on the upper edge. */
const most = 1.3;
const radii = { complete: 3.2, partial: 4.2, late: 4.6, waiting: 4, overdue: 4.6, lost: 4.6 } as const;

/** By the square root: most rounds take a small part of their time, and that is to be told apart too. */
const yOf = (used: number): number =>
  above + box.height * (1 - Math.sqrt(Math.min(most, Math.max(0, used)) / most));

/** A short way for the mouse; the table's links are for everybody. */
function Dot({ round, view }: { round: RoundView; view: Snapshot }): JSX.Element {
  const at = round.decision?.decidedAt ?? view.at;
  const state = stateOf(round, view.at);
  const x = left + box.width * (1 - (view.at - at) / spanMs);
  return (
    <circle
      class={`dot ${state}`}
      cx={x.toFixed(1)}
      cy={yOf(timeUsed(round, view.at)).toFixed(1)}
      r={radii[state]}
      onClick={() => (location.hash = roundAddress(round))}
    >
      <title>{round.roundId}</title>
    </circle>
  );
}

const marks = [
  [0, '0%'],
  [0.05, '5%'],
  [0.25, '25%'],
  [0.5, '50%'],
  [1, 'deadline'],
] as const;

/**
 * When rounds of the last minutes were decided, and how much of their time that took. The table below has the same rounds
 * in words, so readers are given that instead.
 */
export function Scatter({ view }: { readonly view: Snapshot }): JSX.Element {
  const since = view.at - spanMs;
  const shown = view.rounds.filter(
    (round) => (round.decision?.decidedAt ?? view.at) > since && stateOf(round, view.at) !== 'lost',
  );
  return (
    <svg
      class="scatter"
      viewBox={`0 0 ${left + box.width + 12} ${above + box.height + 30}`}
      aria-hidden="true"
    >
      {marks.map(([used, words]) => (
        <g key={words}>
          <path class={used === 1 ? 'grid deadline' : 'grid'} d={`M${left} ${yOf(used)}h${box.width + 6}`} />
          <text class="axis end" x={left - 8} y={yOf(used) + 4}>
            {words}
          </text>
        </g>
      ))}
      {[0, 60_000, 120_000, 180_000].map((before) => (
        <text
          key={before}
          class={before === 0 ? 'axis end' : 'axis'}
          x={left + box.width * (1 - before / spanMs)}
          y={above + box.height + 22}
        >
          {clock(view.at - before)}
        </text>
      ))}
      {shown.map((round) => (
        <Dot key={keyOf(round)} round={round} view={view} />
      ))}
    </svg>
  );
}
