import type { Sufferer } from '#policy/operations/episodes';
import { roundState, type RoundView } from '../rounds/round-view';
import { ofRounds, signal } from './signals/causes';

/** The most frequent fault of a round's shards. */
function faultOf({ decision }: RoundView): string {
  const faults = Object.entries(decision!.shardFaults).sort(([, a], [, b]) => b - a);
  return faults[0]?.[0] ?? 'closed by its deadline';
}

function suffererOf(round: RoundView): Sufferer | null {
  const decidedAt = round.decision!.decidedAt;
  const times = { from: round.receivedAt ?? round.manifestAt, to: decidedAt };
  const state = roundState(round, decidedAt);
  if (state === 'late') {
    const line = [
      'bad',
      'rounds',
      'a round was decided after its deadline',
      'RoundhouseDecisionsLate',
    ] as const;
    return { signal: signal('rounds:late', line, ofRounds, { times: 1 }), cost: 'late', ...times };
  }
  if (state !== 'partial') return null;
  const fault = faultOf(round);
  const words = `a round was decided without all of its plans (${fault})`;
  const line = ['warn', 'rounds', words, 'RoundhouseCoverageLow'] as const;
  return {
    signal: signal(`rounds:partial:${fault}`, line, ofRounds, { times: 1 }),
    cost: 'partial',
    ...times,
  };
}

/** Of rounds that were decided, those that were late, or lack plans. */
export function sufferers(decided: readonly RoundView[]): Sufferer[] {
  return decided.flatMap((round) => suffererOf(round) ?? []);
}
