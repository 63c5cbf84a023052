import type { EngineClient, InferRequest } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { PLAN_RECORD_BYTES } from '#schemas/tensors';
import { enginesOf } from '../../test/support/engines-of';
import { makeShard } from '../../test/support/make-shard';
import { EngineLink } from './engine-link';
import { Suspects } from './sentinel/suspects';
import { solveShard, type SolvedShard } from './solve-shard';

/** An engine that is busy so many times, each time with so many milliseconds left by its own count, and then fails. */
async function solvedBy(busy: number, remainingMs: number | undefined) {
  let calls = 0;
  const infer = (): Promise<never> => {
    calls += 1;
    const isBusy = calls <= busy;
    const fault = isBusy
      ? new RoundhouseError('ENGINE_BUSY', 'full', [], { remainingMs })
      : new RoundhouseError('MODEL_FAILED', 'no');
    return Promise.reject(fault);
  };
  const solved = await solvedWith(infer);
  return { calls, code: solved!.fault!.code };
}

function solvedWith(infer: EngineClient['infer']): Promise<SolvedShard | null> {
  const link = new EngineLink();
  link.up({ infer } as unknown as EngineClient, 'unix:none');
  return solveShard(
    { ...makeShard(), deadline: (Date.now() + 60_000) as UnixMs },
    {
      placement: enginesOf(link),
      suspects: new Suspects(),
      startMarginMs: 0,
      onResent: () => undefined,
      onGivenUp: () => undefined,
    },
  );
}

test('a busy engine is asked again while there is time', async () => {
  expect(await solvedBy(2, undefined)).toEqual({ calls: 3, code: 'MODEL_FAILED' });
  expect(await solvedBy(2, 50_000)).toEqual({ calls: 3, code: 'MODEL_FAILED' });
});

test('a shard is given back at once where the engine says that its time is up, whatever our own clock says', async () => {
  // The shortest pause is 2.5 ms.
  expect(await solvedBy(1_000, 2)).toEqual({ calls: 1, code: 'ENGINE_BUSY' });
});

describe("the engine's memory", () => {
  /** What became of an answer with plans of so many bytes more than the shard wants. */
  async function answered(moreBytes: number) {
    const released: string[] = [];
    const bytes = makeShard().candidateCount * PLAN_RECORD_BYTES + moreBytes;
    const output = (name: string, size: number) => ({
      name,
      datatype: 'UINT8' as const,
      shape: [size],
      data: Buffer.alloc(size),
    });
    const outputs = [output('plans', bytes), output('order_times', 4), output('ride_factors', 16)];
    const solved = await solvedWith(({ model, version, keepOutputs }: InferRequest) => {
      const kept = keepOutputs === true ? { release: () => void released.push(model) } : {};
      return Promise.resolve({ model, version, outputs, ...kept });
    });
    return { solved: solved!, released };
  }

  test('keeps the answer until its outcome is encoded', async () => {
    const { solved, released } = await answered(0);
    expect([solved.outcome.status, released]).toEqual(['solved', []]);
    solved.release!();
    expect(released).toEqual([makeShard().model.name]);
  });

  test('gets an answer back at once that is no outcome', async () => {
    const { solved, released } = await answered(1);
    expect([solved.outcome.status, solved.release]).toEqual(['failed', undefined]);
    expect(released).toEqual([makeShard().model.name]);
  });
});
