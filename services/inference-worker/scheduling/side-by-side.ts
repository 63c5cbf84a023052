import type { EngineLink } from '../engine-link';
import { ModelConfigs, type Batching, type InstanceGroup } from './model-configs';
import type { EngineDevice } from './engine-device';

/** Where a model's instances are threads of the processor, their number; null where a GPU shares itself out. */
export function threadsOf(groups: readonly InstanceGroup[]): number | null {
  if (groups.length === 0 || groups.some(({ kind }) => kind === 'KIND_GPU')) return null;
  return Math.max(
    1,
    groups.reduce((sum, { count }) => sum + count, 0),
  );
}

/** Requests of more are not waited for: of a model that batches by rows, say. */
const mostInPass = 32;

/** Requests that the passes of all its instances take; null where there are none: it does not batch, or is on a processor. */
export function inPassesOf({ groups, maxBatch }: Batching): number | null {
  if (threadsOf(groups) !== null || maxBatch < 2) return null;
  const instances = groups.reduce((sum, { count }) => sum + count, 0);
  return Math.max(1, instances) * Math.min(maxBatch, mostInPass);
}

/** Asks an engine that became active, and after each load, how many requests of a model it takes side by side and together. */
export class SideBySide {
  constructor(private readonly device: EngineDevice) {
    device.link.onChange(() => void this.look(device.link));
    device.link.models.onNoted(() => void this.look(device.link));
    void this.look(device.link);
  }

  private async look(link: EngineLink): Promise<void> {
    const client = link.current();
    const address = link.address();
    if (client === null || address === null) return;
    const configs = new ModelConfigs(address);
    try {
      const names = new Set((await client.repositoryIndex()).filter(isReady).map(({ name }) => name));
      for (const name of names) {
        const batching = await configs.batching(name);
        note(this.device.sideBySide, name, threadsOf(batching.groups));
        note(this.device.inPasses, name, inPassesOf(batching));
      }
    } catch {
      // An engine that doesn't answer is the sentinel's to notice; what is not known is one at a time.
    } finally {
      configs.close();
    }
  }
}

function note(map: Map<string, number>, name: string, value: number | null): void {
  if (value === null) map.delete(name);
  else map.set(name, value);
}

function isReady({ state }: { readonly state: string }): boolean {
  return state === 'READY';
}
