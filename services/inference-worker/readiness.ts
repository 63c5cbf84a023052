import type { EngineClient } from '#lib/engine-client/port';
import type { EngineSet, NamedLink } from './placement/engine-set';

async function modelFaults(client: EngineClient): Promise<string | null> {
  if (await client.isReady()) return null;
  const states = await client.repositoryIndex();
  const broken = states.filter(({ state }) => state !== 'READY');
  const reasons = broken.map(({ name, version, state, reason }) => {
    return `${name}${version && ` ${version}`}: ${reason || state || 'not loaded'}`;
  });
  return reasons.length > 0 ? reasons.join('; ') : 'the engine is not ready';
}

async function faultOf({ link }: NamedLink): Promise<string | null> {
  const client = link.current();
  if (client === null) return null;
  return modelFaults(client).catch(() => link.whyDown() ?? 'the engine hung up');
}

/** Why shards can't be solved now, with the models that don't serve; null when they can. */
export async function engineReadiness(engines: EngineSet | undefined): Promise<string | null> {
  if (engines === undefined) return 'the engine has not started yet';
  const why = engines.whyDown();
  if (why !== null) return why;
  const faults = await Promise.all(engines.all.map(faultOf));
  const found = faults.findIndex((fault) => fault !== null);
  if (found < 0) return null;
  return engines.all.length === 1 ? faults[found]! : `${engines.all[found]!.id}: ${faults[found]}`;
}

/** What of their confinement engines lack, the same for several once; null where none lacks any. */
export function confinementWarning(engines: EngineSet | undefined): string | null {
  const all = engines?.all.map(({ link }) => link.unconfined) ?? [];
  const lacking = [...new Set(all)].filter((text) => text !== '');
  if (lacking.length === 0) return null;
  return `an engine is less confined than it is to be (docs/security.md): ${lacking.join('; ')}`;
}

/** Engines that are down beside others, and versions that don't load beside others that serve; null without any. */
export async function engineWarnings(engines: EngineSet | undefined): Promise<string | null> {
  if (engines === undefined) return null;
  const down = engines.current() === null ? [] : engines.faults();
  const states = await engines
    .current()
    ?.repositoryIndex()
    .catch(() => []);
  const broken = (states ?? []).filter(({ state, reason }) => state === 'UNAVAILABLE' && reason !== '');
  const versions = broken.map(({ name, version, reason }) => `${name}${version && ` ${version}`}: ${reason}`);
  const warnings = [...down, ...versions];
  return warnings.length === 0 ? null : warnings.join('; ');
}
