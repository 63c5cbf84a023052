/**
 * When a crash loop is one. Closed: engines are replaced at once. Open: no engine, the worker's partitions
 * are served by others. On trial (half open): one engine is started without work; if it stays up, the circuit
 * closes.
 */
export interface CircuitPolicy {
  /** So many engines in a row that ended before `staysUpMs` open it. */
  readonly strikes: number;
  /** An engine that lives so long is no part of a crash loop. */
  readonly staysUpMs: number;
  readonly firstPauseMs: number;
  readonly lastPauseMs: number;
  /** Closed for so long, it begins with the first pause again. */
  readonly forgetMs: number;
}

export function circuitPolicy(firstPauseMs: number): CircuitPolicy {
  const lastPauseMs = Math.max(60_000, firstPauseMs);
  return { strikes: 4, staysUpMs: 2_000, firstPauseMs, lastPauseMs, forgetMs: 60_000 };
}

export type CircuitState = 'closed' | 'open' | 'on_trial';

export interface Circuit {
  readonly state: CircuitState;
  /** Engines in a row that ended before they had stayed up. */
  readonly strikes: number;
  /** Times that it opened, or a trial failed, since it was last forgotten. */
  readonly openings: number;
  readonly closedAtMs: number;
}

export const closedCircuit: Circuit = { state: 'closed', strikes: 0, openings: 0, closedAtMs: -Infinity };

function opened(circuit: Circuit, strikes: number): Circuit {
  return { ...circuit, state: 'open', strikes, openings: circuit.openings + 1 };
}

/** An engine ended that had been up for `upMs`; 0 where it never became ready. */
export function afterLoss(circuit: Circuit, upMs: number, nowMs: number, policy: CircuitPolicy): Circuit {
  if (circuit.state === 'open') return circuit;
  if (circuit.state === 'on_trial') return opened(circuit, circuit.strikes + 1);
  const isForgotten = nowMs - circuit.closedAtMs >= policy.forgetMs;
  const remembered = isForgotten ? { ...circuit, openings: 0 } : circuit;
  if (upMs >= policy.staysUpMs) return { ...remembered, strikes: 0 };
  const strikes = circuit.strikes + 1;
  return strikes >= policy.strikes ? opened(remembered, strikes) : { ...remembered, strikes };
}

/** How long an open circuit waits for its next trial. */
export function pauseBeforeTrial({ openings }: Circuit, policy: CircuitPolicy): number {
  return Math.min(policy.lastPauseMs, policy.firstPauseMs * 2 ** Math.min(Math.max(0, openings - 1), 30));
}

export function onTrial(circuit: Circuit): Circuit {
  return circuit.state === 'open' ? { ...circuit, state: 'on_trial' } : circuit;
}

/** The engine on trial stayed up. */
export function afterTrial(circuit: Circuit, nowMs: number): Circuit {
  if (circuit.state !== 'on_trial') return circuit;
  return { ...circuit, state: 'closed', strikes: 0, closedAtMs: nowMs };
}
