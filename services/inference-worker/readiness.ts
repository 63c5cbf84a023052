import type { EngineClient } from '#lib/engine-client/port';
import type { EngineLink } from './engine-link';

async function modelFaults(client: EngineClient): Promise<string | null> {
  if (await client.isReady()) return null;
  const states = await client.repositoryIndex();
  const broken = states.filter(({ state }) => state !== 'READY');
  const reasons = broken.map(({ name, version, state, reason }) => {
    return `${name}${version && ` ${version}`}: ${reason || state || 'not loaded'}`;
  });
  return reasons.length > 0 ? reasons.join('; ') : 'the engine is not ready';
}

/** Why shards can't be solved now, with the models that don't serve; null when they can. */
export async function engineReadiness(link: EngineLink | undefined): Promise<string | null> {
  const client = link?.current();
  if (!link || !client) return link?.whyDown() ?? 'the engine has not started yet';
  try {
    return await modelFaults(client);
  } catch {
    return link.whyDown() ?? 'the engine hung up';
  }
}

/** Versions that don't load beside others that serve, with file and line; null without any. */
export async function engineWarnings(link: EngineLink | undefined): Promise<string | null> {
  const states = await link
    ?.current()
    ?.repositoryIndex()
    .catch(() => []);
  const broken = (states ?? []).filter(({ state, reason }) => state === 'UNAVAILABLE' && reason !== '');
  if (broken.length === 0) return null;
  return broken
    .map(({ name, version, reason }) => `${name}${version && ` ${version}`}: ${reason}`)
    .join('; ');
}
