import type { Env } from './config';
import { endsWithParent } from './ends-with-parent';
import { fewHeaps } from './few-heaps';
import { withoutSecrets } from './without-secrets';

export interface EngineChild {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Env;
}

/**
 * How an engine is started, whoever starts it: it ends with us, has no privileges (unless
 * ROUNDHOUSE_ENGINE_CONFINEMENT is off) and of our environment no secrets.
 */
export function engineChild(command: readonly string[], env: Env, own: Env): EngineChild {
  const withoutPrivileges = env['ROUNDHOUSE_ENGINE_CONFINEMENT'] !== 'off';
  const [program, ...args] = endsWithParent(command, { withoutPrivileges });
  return { program: program!, args, env: { ...fewHeaps, ...withoutSecrets(env), ...own } };
}
