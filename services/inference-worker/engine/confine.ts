import { hasOwnFilesOnly } from '#lib/engine-files';
import type { Env } from '#lib/config';
import { onlyFilesFailure } from '#lib/only-files';
import { confineProcess } from '#native/confine/confine-process';
import { RoundhouseError } from '#schemas/errors';
import type { EngineConfig } from './config';
import type { EngineEvents } from './events';

/**
 * Before anything of the engine is loaded. What of it doesn't hold, and why; empty where all does that is wanted. Throws
 * CONFIG_INVALID where it is required and doesn't hold.
 */
export function confine(wanted: EngineConfig['confinement'], env: Env, events: EngineEvents): string {
  if (wanted === 'off') return '';
  const files = hasOwnFilesOnly(env) ? 'own' : 'any';
  const { holds, lacking } = confineProcess({
    ownFilesOnly: files === 'own',
    failure: env[onlyFilesFailure],
  });
  events.EngineConfined({ holds, lacking, files });
  if (!holds && wanted === 'required')
    throw new RoundhouseError('CONFIG_INVALID', `ROUNDHOUSE_ENGINE_CONFINEMENT=required, and ${lacking}`);
  return lacking;
}
