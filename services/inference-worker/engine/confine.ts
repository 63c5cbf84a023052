import { confineProcess } from '#native/confine/confine-process';
import { RoundhouseError } from '#schemas/errors';
import type { EngineConfig } from './config';
import type { EngineEvents } from './events';

/** Before anything of the engine is loaded. Throws CONFIG_INVALID where it is required and doesn't hold. */
export function confine(wanted: EngineConfig['confinement'], events: EngineEvents): void {
  if (wanted === 'off') return;
  const { holds, lacking } = confineProcess();
  events.EngineConfined({ holds, lacking });
  if (!holds && wanted === 'required')
    throw new RoundhouseError('CONFIG_INVALID', `ROUNDHOUSE_ENGINE_CONFINEMENT=required, and ${lacking}`);
}
