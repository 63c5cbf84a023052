import type { Signal } from '#policy/operations/signals';
import type { CounterStep } from '../../scrape/counter-steps';
import { ofProcess, ofServers, signal, type Kind } from './causes';
import { Ends } from './ends';
import { causes, shardEnds, type Noteworthy } from './noteworthy';
import type { ProcessLook } from './process-look';
import { Rebalances } from './rebalances';
import { LongJobs } from './long-jobs';
import { NewIncidents } from './new-incidents';
import { stalls } from './stalls';

const shards = 'dispatch_shards_finished_total';
const outages = 'dispatch_outages_total';

/** What happened from one look to the next, in the order in which one explains the other. */
export class Happenings {
  private readonly ends = new Ends();
  private readonly incidents = new NewIncidents();
  private readonly rebalances = new Rebalances();
  private readonly longJobs = new LongJobs();

  /** First what explains states of the same look, then what may follow from them. */
  saw(
    processes: readonly ProcessLook[],
    steps: readonly CounterStep[],
    at: number,
  ): { readonly before: Signal[]; readonly after: Signal[] } {
    const looks = processes.map(({ look }) => look);
    const kinds = new Map(processes.map(({ look, kind }) => [look.instance.name, kind]));
    const before = [
      ...steps.filter(({ name }) => name === outages).flatMap(outage),
      ...this.ends.saw(processes),
      ...stalls(processes),
      ...this.incidents.saw(looks, kinds),
      ...this.longJobs.saw(looks, at),
    ];
    const after = [
      ...this.rebalances.saw(steps, at),
      ...steps.flatMap((step) => {
        const what = step.name === shards ? shardEnds : causes[step.name];
        return what === undefined ? [] : happened(step, what, kinds.get(step.process) ?? 'other');
      }),
    ];
    return { before: merged(before), after: merged(after) };
  }
}

/** Of Redis and Kafka, whoever noticed it; `aggregator`: a round came to an instance after its acceptance. */
function outage({ process, labels, by }: CounterStep): Signal[] {
  const what = labels['outage'];
  if (what !== 'kafka' && what !== 'redis') return [];
  const where = what === 'kafka' ? 'Kafka' : 'Redis';
  const line = ['bad', where, `${process} noticed an outage`, 'RoundhouseOutage'] as const;
  return [signal(`outage:${what}`, line, ['all', what], { times: by })];
}

function happened({ process, name, labels, by }: CounterStep, what: Noteworthy, kind: Kind): Signal[] {
  const { label, line, isMeant = () => true, isOwnFault = () => false, where = process } = what;
  if (!isMeant(labels)) return [];
  const value = label === undefined ? '' : (labels[label] ?? '');
  const [level, words, runbook] = line(value);
  const after = isOwnFault(value) ? [] : (what.after ?? []);
  const id = `happened:${name}/${process}/${value}`;
  return [signal(id, [level, where, words, runbook], after, { times: by })].map((one) =>
    after === ofServers ? { ...one, after: [...after, ...ofProcess(kind, process)] } : one,
  );
}

/** Series that differ in other labels are one. */
function merged(signals: readonly Signal[]): Signal[] {
  const byId = new Map<string, Signal>();
  for (const one of signals) {
    const times = (byId.get(one.id)?.times ?? 0) + (one.times ?? 0);
    byId.set(one.id, one.times === null ? one : { ...one, times });
  }
  return [...byId.values()];
}
