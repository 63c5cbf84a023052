import type { EngineClient } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { enginesOf } from '../../test/support/engines-of';
import { makeShard } from '../../test/support/make-shard';
import { EngineLink } from './engine-link';
import { Suspects } from './sentinel/suspects';
import { solveShard } from './solve-shard';

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
  const link = new EngineLink();
  link.up({ infer } as unknown as EngineClient, 'unix:none');
  const solved = await solveShard(
    { ...makeShard(), deadline: (Date.now() + 60_000) as UnixMs },
    {
      placement: enginesOf(link),
      suspects: new Suspects(),
      startMarginMs: 0,
      onResent: () => undefined,
      onGivenUp: () => undefined,
    },
  );
  return { calls, code: solved!.fault!.code };
}

test('a busy engine is asked again while there is time', async () => {
  expect(await solvedBy(2, undefined)).toEqual({ calls: 3, code: 'MODEL_FAILED' });
  expect(await solvedBy(2, 50_000)).toEqual({ calls: 3, code: 'MODEL_FAILED' });
});

test('a shard is given back at once where the engine says that its time is up, whatever our own clock says', async () => {
  // The shortest pause is 2.5 ms.
  expect(await solvedBy(1_000, 2)).toEqual({ calls: 1, code: 'ENGINE_BUSY' });
});
