import type { Signal } from '#policy/operations/signals';
import type { Farewell } from '../../scrape/farewells';
import { signal, type Kind } from './causes';
import { forgetAbsent } from './forget-absent';
import type { ProcessLook } from './process-look';

/** Ends with 3: Kafka or Redis did not answer in time. */
const dependencyAbsent = 3;

function startOf({ look: { series } }: ProcessLook): number | null {
  return series.find(({ name }) => name === 'process_start_time_seconds')?.value ?? null;
}

function ended(name: string, kind: Kind, { exitCode, words }: Farewell): Signal {
  const id = `ended:${kind}/${name}`;
  if (exitCode === null) {
    const told = 'ended without a word: it was killed, or crashed';
    return signal(id, ['bad', name, told, 'RoundhouseRestarted'], ['all'], { times: 1 });
  }
  if (exitCode === 0)
    return signal(id, ['warn', name, words || 'ended', 'RoundhouseRestarted'], [], { times: 1 });
  const page = /clock/i.test(words) ? 'RoundhouseClockSkewed' : 'RoundhouseServiceDown';
  const after = exitCode === dependencyAbsent ? ['all', 'kafka', 'redis'] : [];
  return signal(id, ['bad', name, `ended with ${exitCode}: ${words}`, page], after, { times: 1 });
}

/** Processes that ended, as far as they said why, and that were started again. */
export class Ends {
  private readonly starts = new Map<string, number>();
  private readonly told = new Map<string, Farewell>();

  saw(processes: readonly ProcessLook[]): Signal[] {
    const present = new Set(processes.map(({ look }) => look.instance.name));
    for (const known of [this.starts, this.told]) forgetAbsent(known, present);
    return processes.flatMap((process) => this.of(process));
  }

  private of(process: ProcessLook): Signal[] {
    const { look, kind } = process;
    const { name } = look.instance;
    const start = startOf(process);
    const before = this.starts.get(name);
    if (start !== null) this.starts.set(name, start);
    const isRestart = start !== null && before !== undefined && start !== before;
    const end = this.news(name, look.farewell, isRestart || look.fault !== null);
    const found = end === null ? [] : [ended(name, kind, end)];
    if (!isRestart) return found;
    const after = [`ended:${kind}/${name}`, `silent:${kind}/${name}`, 'all'];
    const line = ['warn', name, 'was started again', 'RoundhouseRestarted'] as const;
    return [...found, signal(`restarted:${kind}/${name}`, line, after, { times: 1 })];
  }

  /** A connection that broke is no end of a process that goes on. */
  private news(name: string, farewell: Farewell | null, isGone: boolean): Farewell | null {
    if (farewell === null || this.told.get(name) === farewell) return null;
    if (farewell.exitCode === null && !isGone) return null;
    this.told.set(name, farewell);
    return farewell;
  }
}
