import type { Signal } from '#policy/operations/signals';
import type { ServiceLook } from '../../scrape/scrape-service';
import { signal } from './causes';

const longMs = 3_000;

interface Wait {
  readonly since: number;
  readonly admissions: number;
}

function sumOf({ series }: ServiceLook, name: string): number {
  return series.filter((one) => one.name === name).reduce((sum, { value }) => sum + value, 0);
}

/** Requests in front of an engine of which none is begun, or given up, for seconds: all its instances have long work. */
export class LongJobs {
  private waits = new Map<string, Wait>();

  saw(looks: readonly ServiceLook[], at: number): Signal[] {
    const before = this.waits;
    this.waits = new Map();
    return looks.flatMap((look) => this.of(look, before.get(look.instance.name), at));
  }

  private of(look: ServiceLook, before: Wait | undefined, at: number): Signal[] {
    const { name } = look.instance;
    const [queued, inCore] = [sumOf(look, 'dispatch_engine_queued'), sumOf(look, 'dispatch_engine_in_core')];
    if (queued === 0 || inCore === 0) return [];
    const admissions = sumOf(look, 'dispatch_engine_admissions_total');
    const wait =
      before !== undefined && before.admissions === admissions ? before : { since: at, admissions };
    this.waits.set(name, wait);
    if (at - wait.since < longMs) return [];
    const requests = queued === 1 ? '1 request waits' : `${queued} requests wait`;
    const words = `${requests} behind ${inCore} that take long: none was begun for ${Math.round((at - wait.since) / 1_000)} s`;
    return [signal(`long-jobs:${name}`, ['warn', name, words, 'RoundhouseQueueWaits'], [`incident:${name}`])];
  }
}
