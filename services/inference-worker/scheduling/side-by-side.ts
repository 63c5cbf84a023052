import type { EngineLink } from '../engine-link';
import { ModelConfigs, type InstanceGroup } from './model-configs';
import type { EngineDevice } from './engine-device';

/** Where a model's instances are threads of the processor, their number; null where a GPU shares itself out. */
export function threadsOf(groups: readonly InstanceGroup[]): number | null {
  if (groups.length === 0 || groups.some(({ kind }) => kind === 'KIND_GPU')) return null;
  return Math.max(
    1,
    groups.reduce((sum, { count }) => sum + count, 0),
  );
}

/** Asks an engine that became active, and after each load, how many requests of a model it runs side by side. */
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
        const threads = threadsOf(await configs.instanceGroups(name));
        if (threads === null) this.device.sideBySide.delete(name);
        else this.device.sideBySide.set(name, threads);
      }
    } catch {
      // An engine that doesn't answer is the sentinel's to notice; what is not known is one at a time.
    } finally {
      configs.close();
    }
  }
}

function isReady({ state }: { readonly state: string }): boolean {
  return state === 'READY';
}
