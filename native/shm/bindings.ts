/** The functions of build/native/shm.node, one to one. Internal: use ShmSession. */
import type { ParameterRow } from '#lib/engine-client/request-parameters';
import { addonLoader } from '../load-addon';
import type { AnswerRow } from './answers';
import { ShmError } from './shm-error';

/** An opaque, type-tagged value; a wrong one is refused with WRONG_HANDLE. */
export type SessionHandle = { readonly sessionHandle: unique symbol };

export interface NativeSessionSettings {
  readonly socketPath: string;
  /** Of each direction; a power of two. */
  readonly ringBytes: number;
  /** Payloads up to this size travel in the frame. */
  readonly inlineBytes: number;
  /** What may travel in the frame when the pool is empty. */
  readonly mostInlineBytes: number;
  /** Outputs of a slot up to this size are copied into the slab. */
  readonly copyBelowBytes: number;
  /** How long a caller with one request under way may wait awake, where the last answer came that soon. */
  readonly mostSpinUs: number;
  /** Ascending, in whole pages. */
  readonly classes: readonly { readonly slotBytes: number; readonly count: number }[];
}

export interface NativeTensor {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

export interface NativeLease {
  readonly slot: number;
  readonly generation: number;
  /** The slot itself; detached when the lease ends. */
  readonly memory: ArrayBuffer;
}

/** What became of a submit or fetch; a submit adds `answered` when there are answers that no event announces. */
export const submitted = {
  inSlot: 0,
  inFrame: 1,
  inFrameSinceEmpty: 2,
  poolEmpty: 3,
  ringFull: 4,
  tooLarge: 5,
  answered: 8,
} as const;

export interface ShmBindings {
  abiVersion(): number;
  /** Connects and offers the segment; `onEvent` says that the state changed or answers came. */
  openSession(settings: NativeSessionSettings, onEvent: () => void): SessionHandle;
  state(handle: SessionHandle): 'opening' | 'open' | 'ended';
  endReason(handle: SessionHandle): string;
  /** Copies the inputs unless they lie in the lease, whose view is detached when the request is on its way. */
  submit(
    handle: SessionHandle,
    id: number,
    model: string,
    /** -1: the version policy of the model decides. */
    version: number,
    requestId: string,
    /** Unix; 0: none. */
    deadlineMs: number,
    inputs: readonly NativeTensor[],
    outputs: readonly string[],
    outputBytes: number,
    inlineIfEmpty: boolean,
    lease?: NativeLease,
    parameters?: ParameterRow,
  ): number;
  cancel(handle: SessionHandle, id: number): boolean;
  fetch(handle: SessionHandle, id: number, bytes: number): number;
  /** Small outputs are copied into the slab as far as it reaches. */
  takeAnswers(handle: SessionHandle, slab: Uint8Array): AnswerRow[];
  lease(handle: SessionHandle, bytes: number): NativeLease | undefined;
  /** One a lease: its end frees the slot. */
  view(handle: SessionHandle, slot: number, generation: number, bytes: number): ArrayBuffer;
  /** A copy of the first bytes of a lease without a view; the lease ends. */
  copyOut(handle: SessionHandle, slot: number, generation: number, bytes: number): Buffer;
  /** False for a lease that had ended. */
  release(handle: SessionHandle, slot: number, generation: number, memory?: ArrayBuffer): boolean;
  heldSlots(handle: SessionHandle): number;
  heldBytes(handle: SessionHandle): number;
  closeSession(handle: SessionHandle): void;
}

export const loadBindings = addonLoader<ShmBindings>('shm', {
  abiVersion: 4,
  fault: (message, cause) => new ShmError('LOAD_FAILED', message, { cause }),
});
