import type { DeviceLoad } from './device-load';
import type { CostModel } from './cost-model';
import { resources } from './phases';
import { sharedMs } from './plan-start';
import type { HeldShard } from './waiting-shards';

/** In which time all devices together would work off what waits, if they had nothing else. */
export class Backlog {
  private readonly shareMs = new Float64Array(resources.length);
  private shards = 0;

  add({ shareMs }: HeldShard): void {
    this.shards += 1;
    for (let at = 0; at < this.shareMs.length; at += 1) this.shareMs[at]! += shareMs[at]!;
  }

  remove({ shareMs }: HeldShard): void {
    this.shards -= 1;
    for (let at = 0; at < this.shareMs.length; at += 1) this.shareMs[at]! -= shareMs[at]!;
    if (this.shards === 0) this.shareMs.fill(0);
  }

  drainMs(): number {
    return this.shareMs.reduce((most, ms) => Math.max(most, ms), 0);
  }
}

/** What a shard adds to it. */
export function shareOf(
  shard: Pick<HeldShard['shard'], 'size' | 'model'>,
  cost: HeldShard['cost'],
  costs: CostModel,
  devices: ReadonlyMap<string, DeviceLoad>,
  cores: number,
): Float64Array {
  const each = (device: DeviceLoad) => ({ device, rates: costs.rates(cost, device.spec.id) });
  return sharedMs(shard, [...devices.values()].map(each), cores);
}
