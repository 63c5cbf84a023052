import { commitStates } from '#policy/operations/partition-lag';
import type { LagView } from '../kafka/lag-book';
import type { ServiceLook } from '../scrape/scrape-service';
import type { Level, Problem, RoundCounts } from './messages';

export interface ProblemSources {
  readonly services: readonly ServiceLook[];
  readonly lag: LagView;
  /** Why the brokers could not be asked; null where they answer. */
  readonly kafkaFault: string | null;
  readonly missingTopics: readonly string[];
  readonly counts: RoundCounts;
  readonly secondsBehindLimit: number;
}

function problem(level: Problem['level'], where: string, words: string, runbook: string): Problem {
  return { level, where, words, runbook };
}

function ofKafka({ kafkaFault, missingTopics }: ProblemSources): Problem[] {
  if (kafkaFault !== null) return [problem('bad', 'Kafka', kafkaFault, 'RoundhouseOpsBlind')];
  if (missingTopics.length === 0) return [];
  const words = `no topic ${missingTopics.join(', ')} yet: the first service that starts makes it`;
  return [problem('warn', 'Kafka', words, 'RoundhouseNotReady')];
}

function ofRounds({ counts: { atRisk, overdue } }: ProblemSources): Problem[] {
  const problems: Problem[] = [];
  const are = (count: number): string => (count === 1 ? '1 round is' : `${count} rounds are`);
  if (overdue > 0) {
    const words = `${are(overdue)} past the deadline without a decision`;
    problems.push(problem('bad', 'rounds', words, 'RoundhouseRoundsOverdue'));
  }
  if (atRisk > overdue) {
    const words = `${are(atRisk - overdue)} about to lose coverage: shards won't be in by the deadline`;
    problems.push(problem('bad', 'rounds', words, 'RoundhouseRoundsAtRisk'));
  }
  return problems;
}

function ofService({ instance: { name }, fault, reasons, warnings }: ServiceLook): Problem[] {
  if (fault !== null) return [problem('bad', name, `does not answer: ${fault}`, 'RoundhouseServiceDown')];
  const not = Object.entries(reasons).map(([check, reason]) =>
    problem('bad', name, `is not ready: ${check}: ${reason}`, 'RoundhouseNotReady'),
  );
  const beside = Object.values(warnings).map((words) => problem('warn', name, words, 'RoundhouseNotReady'));
  return [...not, ...beside];
}

function ofEngines({ instance: { name }, engines }: ServiceLook): Problem[] {
  return engines.flatMap(({ id, state, reason }) => {
    if (state === 'up') return [];
    const words = `engine ${id}: ${reason || state}`;
    return [
      problem(
        'bad',
        name,
        words,
        state === 'handed_over' ? 'RoundhouseEngineCircuitOpen' : 'RoundhouseEngineDown',
      ),
    ];
  });
}

function ofOutages({ instance: { name }, series }: ServiceLook): Problem[] {
  return series
    .filter((one) => one.name === 'dispatch_outage_active' && one.value > 0)
    .map(({ labels }) =>
      problem('bad', name, `an outage of ${labels['outage'] ?? '?'} lasts`, 'RoundhouseOutageLasts'),
    );
}

function ofGroups({ lag: { groups }, secondsBehindLimit }: ProblemSources): Problem[] {
  return groups.flatMap(({ groupId, topic, members, backlog, secondsBehind, partitions }) => {
    const problems: Problem[] = [];
    if (members === 0)
      problems.push(problem('bad', groupId, `nobody reads ${topic}`, 'RoundhouseConsumerGroupEmpty'));
    else if (backlog > 0 && secondsBehind > secondsBehindLimit) {
      const words = `${secondsBehind.toFixed(0)} s behind on ${topic}`;
      problems.push(problem('warn', groupId, words, 'RoundhouseFallingBehind'));
    }
    const [, , expired, beyond] = commitStates;
    const out = partitions.filter(({ state }) => state === expired || state === beyond);
    if (out.length > 0) {
      const words = `the commit in ${out.length} of ${partitions.length} partitions of ${topic} is out of range`;
      problems.push(problem('warn', groupId, words, 'RoundhouseFallingBehind'));
    }
    return problems;
  });
}

/** What is wrong at present, what rounds suffer from first, causes before what follows from them. */
export function findProblems(sources: ProblemSources): Problem[] {
  const { services, kafkaFault } = sources;
  const all = [
    ...ofRounds(sources),
    ...ofKafka(sources),
    ...services.flatMap(ofOutages),
    ...services.flatMap((service) => [...ofService(service), ...ofEngines(service)]),
    ...(kafkaFault === null ? ofGroups(sources) : []),
  ];
  return [...all.filter(({ level }) => level === 'bad'), ...all.filter(({ level }) => level === 'warn')];
}

export function worstLevel(problems: readonly Problem[]): Level {
  if (problems.some(({ level }) => level === 'bad')) return 'bad';
  return problems.length > 0 ? 'warn' : 'ok';
}
