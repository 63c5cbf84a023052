import type { CounterStep } from '../scrape/counter-steps';
import type { ServiceLook } from '../scrape/scrape-service';

const name = 'dispatch_engine_losses_total';
const windowMs = 3_600_000;

/** Engines that were lost within the last hour, or since the console began to look. */
export class EngineLosses {
  private hasSeen = false;
  private lost: { readonly at: number; readonly count: number }[] = [];

  saw(services: readonly ServiceLook[], steps: readonly CounterStep[], at: number): void {
    this.hasSeen ||= services.some(({ series }) => series.some((one) => one.name === name));
    for (const step of steps) if (step.name === name) this.lost.push({ at, count: step.by });
    this.lost = this.lost.filter((loss) => loss.at > at - windowMs);
  }

  /** Null before a worker was seen. */
  get count(): number | null {
    if (!this.hasSeen) return null;
    return this.lost.reduce((sum, { count }) => sum + count, 0);
  }
}
