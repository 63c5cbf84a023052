import { commitStates } from '#policy/operations/partition-lag';
import type { Signal } from '#policy/operations/signals';
import type { GroupView } from '../../kafka/lag-book';
import { ofAggregators, ofKafka, ofRounds, ofWorkers, signal } from './causes';
import type { SignalSources } from './sources';

/** A deadline is seldom longer; a group so far behind is worth a word. */
const secondsBehindLimit = 10;

/** What keeps a group: groups of others have only Kafka. */
function causesOf(groupId: string): readonly string[] {
  if (groupId.endsWith('inference-worker')) return ofWorkers;
  return /aggregator-(rounds|outcomes)$/.test(groupId) ? ofAggregators : ofKafka;
}

function ofGroup({ groupId, topic, members, backlog, secondsBehind, partitions }: GroupView): Signal[] {
  const found: Signal[] = [];
  const causes = causesOf(groupId);
  if (members === 0) {
    const line = ['bad', groupId, `nobody reads ${topic}`, 'RoundhouseConsumerGroupEmpty'] as const;
    found.push(signal(`group-empty:${groupId}`, line, causes));
  }
  const [, , expired, beyond] = commitStates;
  const out = partitions.filter(({ state }) => state === expired || state === beyond);
  if (out.length > 0) {
    const words = `the commit in ${out.length} of ${partitions.length} partitions of ${topic} is out of range`;
    found.push(signal(`group-range:${groupId}`, ['warn', groupId, words, 'RoundhouseFallingBehind']));
  }
  if (members > 0 && backlog > 0 && secondsBehind > secondsBehindLimit) {
    const words = `${secondsBehind.toFixed(0)} s behind on ${topic}`;
    const after = [...causes, `group-empty:${groupId}`, `rebalances:${groupId}`];
    found.push(signal(`group-behind:${groupId}`, ['warn', groupId, words, 'RoundhouseFallingBehind'], after));
  }
  return found;
}

const are = (count: number): string => (count === 1 ? '1 round is' : `${count} rounds are`);

function ofRisk({ risk: { overdue, shards, outcomes }, lag }: SignalSources): Signal[] {
  const found: Signal[] = [];
  const add = (id: string, words: string, runbook: string, after: readonly string[]): void => {
    found.push(signal(`rounds:${id}`, ['bad', 'rounds', words, runbook], [...after, ...ofRounds]));
  };
  if (overdue > 0)
    add('overdue', `${are(overdue)} past the deadline without a decision`, 'RoundhouseRoundsOverdue', [
      ...ofAggregators,
      'group-empty:*aggregator-rounds',
      'group-empty:*aggregator-outcomes',
    ]);
  if (shards > 0) {
    const words = `${are(shards)} about to lose coverage: shards won't be in by the deadline`;
    add('risk-shards', words, 'RoundhouseRoundsAtRisk', ofWorkers);
  }
  if (outcomes > 0) {
    const nobody = lag.groups.some(
      ({ groupId, members }) => /aggregator-outcomes$/.test(groupId) && members === 0,
    );
    const words = nobody
      ? `${are(outcomes)} about to be late: nobody joins their outcomes`
      : `${are(outcomes)} about to lose coverage: outcomes are joined too slowly`;
    add('risk-outcomes', words, 'RoundhouseRoundsAtRisk', ofAggregators);
  }
  return found;
}

/** Groups that nobody reads for, or that are behind, and the rounds that suffer from it. */
export function queueSignals(sources: SignalSources): Signal[] {
  const groups = sources.kafkaFault === null ? sources.lag.groups.flatMap(ofGroup) : [];
  return [...groups, ...ofRisk(sources)];
}
