import { RecentGrowth } from '../figures/recent-growth';
import type { ServiceLook } from '../scrape/scrape-service';

const name = 'dispatch_engine_losses_total';
const windowMs = 3_600_000;

/** Engines that were lost within the last hour, or since the console began to look. */
export class EngineLosses {
  private readonly step = new RecentGrowth(1);
  private hasSeen = false;
  private lost: { readonly at: number; readonly count: number }[] = [];

  saw(services: readonly ServiceLook[], at: number): void {
    this.step.saw(
      services.map((look) => ({ ...look, series: look.series.filter((one) => one.name === name) })),
      at,
    );
    this.hasSeen ||= services.some(({ series }) => series.some((one) => one.name === name));
    const count = this.step.total(name);
    if (count > 0) this.lost.push({ at, count });
    this.lost = this.lost.filter((loss) => loss.at > at - windowMs);
  }

  /** Null before a worker was seen. */
  get count(): number | null {
    if (!this.hasSeen) return null;
    return this.lost.reduce((sum, { count }) => sum + count, 0);
  }
}
