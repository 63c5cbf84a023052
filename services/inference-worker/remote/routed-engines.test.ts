import type { InferResponse } from '#lib/engine-client/port';
import { RoundhouseError } from '#schemas/errors';
import {
  bench,
  closeBenches,
  failing,
  good,
  plans,
  silent,
  soon,
  turnsUntil,
  work,
  type Infer,
} from '../../../test/support/routed-bench';
import { HandedOver, LateHere, NoEngineInTime } from '../placement/placement';
import { ModelCheck } from './model-check';

afterEach(closeBenches);

test('what is done here at once never leaves', async () => {
  const { routed, here, asked } = await bench({ a: good });
  here.finishMs = 1;
  await expect(routed.infer(work(), soon())).resolves.toMatchObject({ engine: 'cpu#1' });
  expect(asked).toEqual([]);
});

test('a remote that is done earlier gets it, and is named in the answer with its device', async () => {
  const { routed, here } = await bench({ a: good });
  await expect(routed.infer(work(), soon())).resolves.toMatchObject({ engine: 'a', deviceKind: 'gpu:there' });
  expect(here.asked).toBe(0);
});

test('everything goes to remotes while no engine is up here', async () => {
  const { routed, here } = await bench({ a: good, b: good });
  here.finishMs = null;
  const answers = await Promise.all(Array.from({ length: 12 }, () => routed.infer(work(), soon())));
  expect(answers.map(({ engine }) => engine).every((name) => ['a', 'b'].includes(name))).toBe(true);
  expect(here.asked).toBe(0);
});

describe('a remote that fails', () => {
  test.each(['MODEL_FAILED', 'PAYLOAD_INVALID', 'INTERNAL'] as const)(
    'with %s is blamed where it was solved elsewhere',
    async (code) => {
      const { routed, router } = await bench({ a: failing(code) });
      await expect(routed.infer(work(), soon())).resolves.toMatchObject({ engine: 'cpu#1' });
      expect(router.remote('a')!.health.failureShare).toBeGreaterThan(0);
    },
  );

  test("with what fails here as well is not: it was the work's fault", async () => {
    const { routed, here, router } = await bench({ a: failing('MODEL_FAILED') });
    here.answer = () => Promise.reject(new RoundhouseError('MODEL_FAILED', 'no plan'));
    await expect(routed.infer(work(), soon())).rejects.toMatchObject({ code: 'MODEL_FAILED' });
    expect(router.remote('a')!.health.failureShare).toBe(0);
  });

  test('with plans of another size is not believed', async () => {
    const { routed, ends } = await bench({ a: () => Promise.resolve(plans(65)) });
    await expect(routed.infer(work(), soon())).resolves.toMatchObject({ engine: 'cpu#1' });
    expect(ends).toEqual(['doubtful']);
  });

  test('as late although there was time is asked no more for it', async () => {
    const { routed, router } = await bench({ a: failing('DEADLINE_EXCEEDED') });
    await expect(routed.infer(work(), soon())).resolves.toMatchObject({ engine: 'cpu#1' });
    expect(router.remote('a')!.health.failureShare).toBeGreaterThan(0);
  });

  test('without the model is asked no more for that model, and is not blamed', async () => {
    const { routed, router, asked } = await bench({ a: failing('MODEL_UNAVAILABLE') });
    for (let again = 0; again < 2; again += 1) await routed.infer(work(), soon());
    expect([asked, router.remote('a')!.health.isOut]).toEqual([['a'], false]);
  });

  test('before it had it: the next one gets it, and no engine is suspected', async () => {
    const refused = 'No connection established. Last error: connect ECONNREFUSED 127.0.0.1:1';
    const { routed, here, asked } = await bench({ a: failing('ENGINE_LOST', refused), b: good });
    here.finishMs = null;
    const names = new Set<string>();
    for (let at = 0; at < 3; at += 1) names.add((await routed.infer(work(), soon())).engine);
    expect([...names]).toEqual(['b']);
    expect(asked).toContain('a');
  });

  test('with the work: the caller hears it, and no attempt of the same work goes there again', async () => {
    const { routed, asked } = await bench({ a: failing('ENGINE_LOST', 'the engine was lost with the call') });
    const shard = work();
    await expect(routed.infer(shard, soon())).rejects.toMatchObject({ code: 'ENGINE_LOST' });
    expect([...shard.failedOn]).toEqual(['a']);
    await expect(routed.infer(shard, soon())).resolves.toMatchObject({ engine: 'cpu#1' });
    expect(asked).toEqual(['a']);
  });
});

describe('a remote that says nothing', () => {
  test('loses the work to an engine that has time for it', async () => {
    const { routed, ends } = await bench({ a: silent });
    await expect(routed.infer(work(), soon())).resolves.toMatchObject({ engine: 'cpu#1' });
    expect(ends).toEqual(['overdue']);
  });

  test('slowly gets it again where the only other one is out', async () => {
    let calls = 0;
    const slowAtFirst: Infer = (...call) => (calls++ === 0 ? silent(...call) : good(...call));
    const { routed, here, router, asked } = await bench({ a: slowAtFirst, b: silent });
    here.finishMs = null;
    // The first draw is of both; whichever was first, the other one is next, and then only `a` is left.
    const running = routed.infer(work(), soon());
    await turnsUntil(() => asked.includes('b'));
    router.probed('b', false, performance.now());
    await expect(running).resolves.toMatchObject({ engine: 'a' });
  });

  test('keeps it while nobody else has', async () => {
    let answer: (response: InferResponse) => void = () => undefined;
    const { routed, here, asked } = await bench({ a: () => new Promise((resolve) => (answer = resolve)) });
    here.finishMs = null;
    const running = routed.infer(work(), soon());
    // Each look is one at an answer that is overdue, and finds no engine up.
    const before = here.looks;
    await turnsUntil(() => here.looks >= before + 2);
    answer(plans(64));
    await expect(running).resolves.toMatchObject({ engine: 'a' });
    expect(asked).toEqual(['a']);
  });
});

describe('no room here', () => {
  test('late here: a remote that is in time', async () => {
    const { routed, here } = await bench({ a: good });
    here.finishMs = 3;
    here.answer = () => Promise.reject(new LateHere());
    await expect(routed.infer(work(), soon())).resolves.toMatchObject({ engine: 'a' });
  });

  test.each([new LateHere(), new RoundhouseError('ENGINE_BUSY', 'full')])(
    'nor there: as our own engines said (%s)',
    async (error) => {
      const { routed, here } = await bench({ a: failing('ENGINE_BUSY') });
      here.finishMs = 3;
      here.answer = () => Promise.reject(error);
      await expect(routed.infer(work(), soon())).rejects.toBe(error);
    },
  );
});

describe('nobody has time', () => {
  test('until the deadline: no engine in time', async () => {
    const { routed, here } = await bench({});
    here.finishMs = null;
    await expect(routed.infer(work(), soon(30))).rejects.toThrow(NoEngineInTime);
  });

  test('until our own engine is up again', async () => {
    const { routed, here } = await bench({});
    here.finishMs = null;
    const running = routed.infer(work(), soon());
    here.finishMs = 5;
    await expect(running).resolves.toMatchObject({ engine: 'cpu#1' });
  });

  test('what a remote said of it first, where that was all', async () => {
    const { routed, here } = await bench({ a: failing('MODEL_FAILED', 'no such matrix') });
    here.finishMs = null;
    await expect(routed.infer(work(), soon(50))).rejects.toThrow('no such matrix');
  });
});

test('one that does not say what its model is, is overdue like one that does not answer', async () => {
  const { routed, ends } = await bench({ a: good }, new ModelCheck(() => new Promise(() => undefined)));
  const shard = { ...work(), contentHash: 'abc' };
  await expect(routed.infer(shard, soon())).resolves.toMatchObject({ engine: 'cpu#1' });
  expect(ends).toEqual(['overdue']);
});

test('one with other bytes of the model is not asked for it', async () => {
  const { routed, asked, ends } = await bench({ a: good }, new ModelCheck(() => Promise.resolve('xyz')));
  await expect(routed.infer({ ...work(), contentHash: 'abc' }, soon())).resolves.toMatchObject({
    engine: 'cpu#1',
  });
  expect([asked, ends]).toEqual([[], ['without_model']]);
});

test('a caller that gives it up takes it back from the remote, which is not blamed', async () => {
  const { routed, ends, router } = await bench({ a: silent });
  const abort = new AbortController();
  const running = routed.infer(work(), soon(), abort.signal);
  abort.abort(new Error('enough'));
  await expect(running).rejects.toThrow('enough');
  expect([ends, router.remote('a')!.health.failureShare]).toEqual([['withdrawn'], 0]);
});

describe('engines keep ending here', () => {
  test('the work stays while a remote takes it, and is left to others when none does', async () => {
    const { routed, here, remotes } = await bench({ a: good });
    const told: (string | null)[] = [];
    routed.onHandOver((reason) => told.push(reason));
    here.finishMs = null;
    here.handOver('they crash');
    expect([routed.whyHandedOver(), told]).toEqual([null, []]);
    await expect(routed.infer(work(), soon())).resolves.toMatchObject({ engine: 'a' });
    remotes.replace([]);
    expect(told).toEqual(['they crash']);
    await expect(routed.infer(work(), soon())).rejects.toThrow(HandedOver);
    here.handOver(null);
    expect(told).toEqual(['they crash', null]);
  });
});
