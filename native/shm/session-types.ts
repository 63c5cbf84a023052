import type { SendPath } from '#lib/engine-client/data-plane';
import type { ParameterRow } from '#lib/engine-client/request-parameters';
import type { NativeLease, NativeTensor } from './bindings';
import type { SizeClass } from './size-classes';

export interface ShmSessionOptions {
  /** The engine's Unix socket for sessions. */
  readonly socketPath: string;
  readonly classes?: readonly SizeClass[];
  readonly ringBytes?: number;
  readonly inlineBytes?: number;
  readonly mostInlineBytes?: number;
  /** What an empty pool means for a payload that a frame can carry; longer ones wait. */
  readonly whenEmpty?: 'wait' | 'inline';
  readonly connectTimeoutMs?: number;
  readonly mostSpinUs?: number;
  /** Called for every request that is on its way. */
  readonly onSent?: (path: SendPath) => void;
  /** Called for every request that has to wait for a slot or for room in the ring. */
  readonly onWait?: (model: string) => void;
  /** Called once, when the session ended without `close`. */
  readonly onEnd?: (reason: string) => void;
}

export interface ShmRequest {
  readonly model: string;
  readonly version: number;
  readonly requestId: string;
  readonly inputs: readonly NativeTensor[];
  readonly outputs?: readonly string[];
  readonly parameters?: ParameterRow;
}

export interface ShmCall {
  /** Unix milliseconds; the engine cancels then, too. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
  /** Where the inputs lie already; it ends when the request is on its way. */
  readonly lease?: SlotLease;
  /** Outputs of more than `copyBelowBytes` stay in their slot until `release`; else they are copied out. */
  readonly keep?: boolean;
  /** Called once, when the engine has nothing of the request any more: at its answer, or after it was given up. */
  readonly onLetGo?: () => void;
}

export interface ShmResult {
  readonly version: string;
  readonly outputs: readonly NativeTensor[];
  /** Ends the views of the outputs: a later read throws. Without `keep` there is nothing to end. */
  release(): void;
}

/** A slot to write inputs into. */
export interface SlotLease extends NativeLease {
  release(): void;
}
