import { setTimeout as sleep } from 'node:timers/promises';
import { loopback } from './ports';

interface Served {
  readonly name: string;
  readonly ports: { readonly http?: number };
}

const pollMs = 200;
const answerMs = 3_000;

/** Why a service is not ready, as its /readyz says; null when it is, or has no port to ask. */
async function whyNotReady({ name, ports: { http } }: Served): Promise<string | null> {
  if (http === undefined) return null;
  try {
    const response = await fetch(`http://${loopback}:${http}/readyz`, {
      signal: AbortSignal.timeout(answerMs),
    });
    const { ready, reasons = {} } = (await response.json()) as {
      ready: boolean;
      reasons?: Record<string, string>;
    };
    if (ready) return null;
    return `${name}: ${Object.values(reasons).join('; ')}`;
  } catch (error) {
    const { cause, message } = error as Error;
    return `${name}: ${(cause as Error | undefined)?.message ?? message}`;
  }
}

/** Of all services, the reasons why they are not ready; empty when they all are. */
export async function readinessFaults(services: readonly Served[]): Promise<string[]> {
  const reasons = await Promise.all(services.map(whyNotReady));
  return reasons.filter((reason) => reason !== null);
}

interface ReadyWait {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Told the reasons once, when it takes more than a moment. */
  onWait(faults: readonly string[]): void;
}

/**
 * A process that has started may still not serve: a model may be broken. Resolves to the reasons that are left
 * after the time given; to none as soon as every service is ready.
 */
export async function untilReady(
  services: () => readonly Served[],
  { timeoutMs, signal, onWait }: ReadyWait,
): Promise<string[]> {
  const startedAt = Date.now();
  for (let told = false; ; await sleep(pollMs)) {
    const faults = await readinessFaults(services());
    signal.throwIfAborted();
    const waitedMs = Date.now() - startedAt;
    if (faults.length === 0 || waitedMs >= timeoutMs) return faults;
    if (!told && waitedMs >= 1_000) {
      told = true;
      onWait(faults);
    }
  }
}
