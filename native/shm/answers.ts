import { EngineRefusal } from './shm-error';

/**
 * An answer as the addon gives it: the kind, the request's id, and by kind
 * result: version, slot, generation, bytes in the slot, their offset in the slab (-1: they are in the slot), and
 *   for each output name, datatype, shape, offset, length, bytes (undefined: in the slot or the slab);
 * failed: kept, ofTable, code, message, milliseconds that remain (negative: not said); grow: bytes; released: nothing.
 */
export type AnswerRow = readonly unknown[];

export const answerKinds = { result: 4, failed: 5, grow: 6, released: 7 } as const;

/** Lies in the slot or slab from `offset`, or in `copy`. */
export interface AnswerOutput {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly offset: number;
  readonly byteLength: number;
  readonly copy: Buffer | undefined;
}

export interface ResultAnswer {
  readonly version: string;
  readonly slot: number;
  readonly generation: number;
  readonly bytes: number;
  readonly inSlab: number;
  readonly outputs: readonly AnswerOutput[];
}

const firstOutput = 7;
const perOutput = 6;

export function readResult(row: AnswerRow): ResultAnswer {
  const outputs: AnswerOutput[] = [];
  for (let at = firstOutput; at < row.length; at += perOutput) {
    outputs.push({
      name: row[at] as string,
      datatype: row[at + 1] as string,
      shape: row[at + 2] as number[],
      offset: row[at + 3] as number,
      byteLength: row[at + 4] as number,
      copy: row[at + 5] as Buffer | undefined,
    });
  }
  return {
    version: row[2] as string,
    slot: row[3] as number,
    generation: row[4] as number,
    bytes: row[5] as number,
    inSlab: row[6] as number,
    outputs,
  };
}

/** `kept`: the engine still has the request. */
export function readFailed(row: AnswerRow): { readonly kept: boolean; readonly refusal: EngineRefusal } {
  const [kept, ofTable, code, message, remainingMs] = row.slice(2) as [
    boolean,
    boolean,
    string,
    string,
    number,
  ];
  return { kept, refusal: new EngineRefusal(code, ofTable, message, remainingMs) };
}

/** Bytes of an output in what was copied or in the slot itself. */
export function viewOf(memory: ArrayBuffer | Buffer | undefined, offset: number, length: number): Buffer {
  if (memory === undefined || length === 0) return Buffer.alloc(0);
  return memory instanceof ArrayBuffer
    ? Buffer.from(memory, offset, length)
    : memory.subarray(offset, offset + length);
}
