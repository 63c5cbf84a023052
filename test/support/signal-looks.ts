import { explain, type Signal } from '#policy/operations/signals';
import { SignalFinder } from '#services/ops/console/signals/find-signals';
import { Kinds } from '#services/ops/console/signals/process-look';
import type { SignalSources } from '#services/ops/console/signals/sources';
import { CounterSteps } from '#services/ops/scrape/counter-steps';
import type { LagView } from '#services/ops/kafka/lag-book';
import type { ServiceLook } from '#services/ops/scrape/scrape-service';
import { buildLook } from './build-look';

/** For tests: what is seen at a look where it differs from one at which all is well. */
export interface Changes extends Partial<Omit<SignalSources, 'processes' | 'steps'>> {
  readonly looks?: readonly ServiceLook[];
}

export const calm = { overdue: 0, shards: 0, outcomes: 0 };
export const names = ['ingest', 'worker', 'aggregator'];
export const well = names.map((name) => buildLook(name));
const partition = { partition: 0, state: 'committed', committed: 1n, end: 1n, lag: 0n } as const;
const quiet = { members: 1, backlog: 0, secondsBehind: 0, taken: 1, partitions: [partition] };
export const groupOf = (groupId: string, changes: Partial<LagView['groups'][number]> = {}) => {
  return { groupId, topic: 't', ...quiet, ...changes };
};
export const lagOf = (...groups: LagView['groups'][number][]): LagView => ({ topics: [], groups });

/** Looks one after the other, two seconds apart. */
export function setUp() {
  const [finder, kinds, steps] = [new SignalFinder(), new Kinds(), new CounterSteps()];
  let at = 0;
  return ({ looks = well, ...changes }: Changes = {}): Signal[] =>
    finder.saw(
      {
        ...{ lag: lagOf(), kafkaFault: null, kafkaLookMs: null, missingTopics: [], risk: calm, ...changes },
        processes: kinds.of(looks),
        steps: steps.saw(looks),
      },
      (at += 2_000),
    );
}

/** One look behind one at which all was well. */
export function find(changes: Changes): Signal[] {
  const look = setUp();
  look({ looks: (changes.looks ?? well).map(({ instance: { name } }) => buildLook(name, 'x 1\n')) });
  return look(changes);
}

export const text = ({ level, where, words }: Signal): string => `${level} ${where}: ${words}`;
export const gone = { fault: 'nobody listens there' };

/** Where causes are, each with where its consequences are. */
export const tree = (signals: Signal[]) =>
  explain(signals).map(({ root, consequences }) => [root!.where, ...consequences.map(({ where }) => where)]);
