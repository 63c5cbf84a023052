import type { EngineClient } from '#lib/engine-client/port';
import type { WorkerEvents } from '../events';
import { carryOut } from '../sentinel/wanted-models';
import type { EngineSet } from './engine-set';

/**
 * A load or unload reaches one engine, and is noted when that has carried it out: the other active engines follow
 * then. One that fails there leaves that engine with other models: it is told, and its next engine begins with them.
 */
export function followModels(engines: EngineSet, events: WorkerEvents): void {
  if (engines.all.length < 2) return;
  engines.models.onNoted(async (operation) => {
    const first = engines.current();
    const others = engines.all.map(({ link }) => link.current()).filter((client) => client !== first);
    const follow = (client: EngineClient | null): Promise<void> | undefined =>
      client === null ? undefined : carryOut(operation, client);
    const ends = await Promise.allSettled(others.map(follow));
    for (const end of ends) {
      if (end.status === 'rejected') events.ModelOperationLost({ ...operation, reason: String(end.reason) });
    }
  });
}
