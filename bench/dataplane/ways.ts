import type { EngineClient } from '#lib/engine-client/port';
import { copyBelowBytes } from '#native/shm/session-settings';
import type { ShmSession } from '#native/shm/shm-session';
import type { TritonServer } from '#native/triton/triton-server';
import type { UnixMs } from '#schemas/brands';
import { model } from './repository';
import type { Call } from './measure';
import type { SharedRegion } from './shared-region';

export interface Ends {
  readonly local: TritonServer;
  readonly grpc: EngineClient;
  readonly session: ShmSession;
  /** Regions for a size, one for each call at a time. */
  regions(bytes: number): SharedRegion[];
}

const requestId = '';
const input = (data: Uint8Array) => ({
  name: 'IN',
  datatype: 'UINT8' as const,
  shape: [data.byteLength],
  data,
});

/** Each call writes its number into the payload and looks for it in what comes back. */
function numbered(payload: Buffer): { next(target: Buffer): number } {
  let last = 0;
  return {
    next(target) {
      last = (last + 1) % 2 ** 31;
      target.writeUInt32LE(last, payload.length - 4);
      return last;
    },
  };
}

function check(output: Uint8Array, expected: number): void {
  const found = Buffer.from(output.buffer, output.byteOffset, output.byteLength).readUInt32LE(
    output.byteLength - 4,
  );
  if (found !== expected) throw new Error(`call ${expected} got the answer of ${found}`);
}

const inTenSeconds = (): UnixMs => (Date.now() + 10_000) as UnixMs;

/** Buffers for calls that overlap: the next call takes one that is not in use. */
function payloads(bytes: number) {
  const free: Buffer[] = [];
  return {
    take: (): Buffer => free.pop() ?? Buffer.alloc(bytes, 1),
    give: (buffer: Buffer): void => void free.push(buffer),
  };
}

function fromBuffers(bytes: number, send: (payload: Buffer, expected: number) => Promise<void>): Call {
  const pool = payloads(bytes);
  const numbers = numbered(Buffer.alloc(bytes));
  return async () => {
    const payload = pool.take();
    await send(payload, numbers.next(payload));
    pool.give(payload);
  };
}

export function inProcess({ local }: Ends, bytes: number): Call {
  return fromBuffers(bytes, async (payload, expected) => {
    const result = await local.infer({ model, inputs: [input(payload)] });
    check(result.outputs[0]!.data, expected);
    result.release();
  });
}

export function grpcBytes({ grpc }: Ends, bytes: number): Call {
  return fromBuffers(bytes, async (payload, expected) => {
    const request = { model, version: '', requestId, inputs: [input(payload)] };
    check((await grpc.infer(request, inTenSeconds())).outputs[0]!.data, expected);
  });
}

/** Control through gRPC, the payload in registered POSIX shared memory both ways. */
export function grpcShared({ regions }: Ends, bytes: number): Call {
  const free = regions(bytes).map((region) => ({ region, answer: Buffer.alloc(bytes) }));
  return fromBuffers(bytes, async (payload, expected) => {
    const taken = free.pop()!;
    await taken.region.infer(payload, taken.answer);
    check(taken.answer, expected);
    free.push(taken);
  });
}

/** The payload stands in a buffer of the caller and is copied into a slot; the answer is read in its slot. */
export function hotPathCopied({ session }: Ends, bytes: number): Call {
  return fromBuffers(bytes, async (payload, expected) => {
    const request = { model, version: -1, requestId, inputs: [input(payload)] };
    const result = await session.infer(request, { deadlineMs: inTenSeconds(), keep: true });
    check(result.outputs[0]!.data, expected);
    result.release();
  });
}

/** The payload is written where it is read; small ones are cheaper to copy. */
export function hotPath(ends: Ends, bytes: number): Call {
  if (bytes <= copyBelowBytes) return hotPathCopied(ends, bytes);
  const { session } = ends;
  const numbers = numbered(Buffer.alloc(bytes));
  return async () => {
    const lease = session.lease(bytes);
    if (lease === undefined) throw new Error('the pool is too small');
    const payload = Buffer.from(lease.memory);
    const expected = numbers.next(payload);
    const request = { model, version: -1, requestId, inputs: [input(payload)] };
    const result = await session.infer(request, { deadlineMs: inTenSeconds(), keep: true, lease });
    check(result.outputs[0]!.data, expected);
    result.release();
  };
}
