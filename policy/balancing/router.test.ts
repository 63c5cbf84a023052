import { nextLookMs, type Attempt, type AttemptEnd } from './remote';
import { Router, type Route } from './router';
import { defaultRouterSettings } from './settings';

const settings = { ...defaultRouterSettings, priorMsPerUnit: 0.1, priorTransferMs: 1 };
// Before anything was seen: 100 × 0.1 ms, and 1 ms for an empty message.
const work = { model: 'm', size: 100, bytes: 0, deadlineMs: 1_000 };
const good: AttemptEnd = { kind: 'good', ranMs: 10, thereMs: 10, load: null };
const failed: AttemptEnd = { kind: 'failed', load: null };

function routerWith(...names: string[]): Router {
  let next = 0;
  const router = new Router(() => (next = (next + 0.37) % 1), settings);
  for (const name of names) router.add(name);
  for (const name of router.probesDue(0)) router.probed(name, true, 0);
  return router;
}

function attemptOf(route: Route): Attempt {
  if (route.kind !== 'remote') throw new Error(route.kind);
  return route.attempt;
}

/** Good answers until so many may be under way. */
function warm(router: Router, end: AttemptEnd = good, ms = 11): void {
  for (let round = 0; round < 40; round += 1) {
    const route = router.route(work, null, 0);
    if (route.kind === 'remote') router.ended(route.attempt, end, ms);
  }
}

describe('local or remote', () => {
  test('what is done here at once stays here', () => {
    expect(routerWith('a').route(work, 2, 0)).toEqual({ kind: 'local' });
  });

  test('a remote has to be earlier by a tenth and a millisecond', () => {
    const router = routerWith('a', 'b');
    // 11 ms there: 11 × 1.1 + 1 = 13.1.
    expect(router.route(work, 13.05, 0).kind).toBe('local');
    expect(router.route(work, 13.15, 0).kind).toBe('remote');
  });

  test('one that is in time before one that is not', () => {
    // 20 ms are left: 11 there are in time, 21 here are not. With 5 ms left neither is: no remote for nothing.
    const router = routerWith('a', 'b');
    expect(router.route({ ...work, deadlineMs: 20 }, 21, 0).kind).toBe('remote');
    expect(router.route({ ...work, deadlineMs: 5 }, Infinity, 0).kind).toBe('local');
  });

  test('no engine here: all goes to remotes; none of those either: none', () => {
    const router = routerWith('a');
    const attempt = attemptOf(router.route(work, null, 0));
    expect(attempt.remote.name).toBe('a');
    // It may have one at first.
    expect(router.route(work, null, 0)).toEqual({ kind: 'none' });
    expect(router.route(work, 500, 0)).toEqual({ kind: 'local' });
    router.ended(attempt, good, 11);
    expect(router.route(work, null, 11).kind).toBe('remote');
  });

  test('bytes cost time on the way', () => {
    const router = routerWith('a');
    // 1 ms a 64 KiB: 64 × 64 KiB are 64 ms on top.
    expect(router.route({ ...work, bytes: 64 * 65_536 }, 70, 0).kind).toBe('local');
    expect(router.route({ ...work, bytes: 64 * 65_536 }, 90, 0).kind).toBe('remote');
  });
});

describe('which remote', () => {
  test('never one that failed with it', () => {
    const router = routerWith('a', 'b');
    const names = (failedOn: string[]) => router.route(work, null, 0, new Set(failedOn));
    expect(attemptOf(names(['b'])).remote.name).toBe('a');
    expect(names(['a', 'b'])).toEqual({ kind: 'none' });
  });

  test('the faster of two, once that is known', () => {
    const router = routerWith('fast', 'slow');
    for (let at = 0; at < 20; at += 1) {
      const attempt = attemptOf(router.route(work, null, 0, new Set(at % 2 ? ['fast'] : ['slow'])));
      const ms = attempt.remote.name === 'fast' ? 10 : 40;
      router.ended(attempt, { ...good, ranMs: ms, thereMs: ms }, ms + 1);
    }
    expect(attemptOf(router.route(work, null, 0)).remote.name).toBe('fast');
    // A wait of 60 ms there makes it the later one: 71 against 41.
    const load = { waitMs: 60, lanes: 1, atMs: 1 };
    router.ended(attemptOf(router.route(work, null, 0, new Set(['slow']))), { ...good, load }, 11);
    expect(attemptOf(router.route(work, null, 1)).remote.name).toBe('slow');
  });

  test('a full one is left alone for a moment, one without the model for that model only', () => {
    const router = routerWith('a');
    warm(router);
    router.ended(attemptOf(router.route(work, null, 100)), { kind: 'busy', load: null }, 100);
    expect(router.route(work, null, 119).kind).toBe('none');
    router.ended(attemptOf(router.route(work, null, 120)), { kind: 'without_model', load: null }, 121);
    expect(router.route(work, null, 5_120).kind).toBe('none');
    router.ended(attemptOf(router.route({ ...work, model: 'n' }, null, 122)), good, 133);
    expect(router.route({ ...work, deadlineMs: 9_000 }, null, 5_121).kind).toBe('remote');
  });

  test('one that owes an overdue answer gets nothing more', () => {
    const router = routerWith('a');
    warm(router);
    const { overdueMs } = attemptOf(router.route(work, null, 0));
    // 4 × 11 ms are less than the least of 100.
    expect(overdueMs).toBe(100);
    expect(router.route(work, null, 100).kind).toBe('remote');
    expect(router.route(work, null, 101).kind).toBe('none');
  });

  test('one that was removed gets nothing, and what it had may end', () => {
    const router = routerWith('a', 'b');
    const attempt = attemptOf(router.route(work, null, 0, new Set(['b'])));
    router.remove('a');
    router.remove('a');
    router.ended(attempt, failed, 1);
    expect([router.size, router.probesDue(1e9)]).toEqual([1, []]);
    expect(attemptOf(router.route(work, null, 2)).remote.name).toBe('b');
  });
});

describe('failures', () => {
  test('a fast failure does not make a remote attractive', () => {
    const router = routerWith('good', 'failing');
    warm(router);
    for (let at = 0; at < 10; at += 1) {
      const route = router.route(work, null, 100 + at, new Set(['good']));
      if (route.kind === 'remote') router.ended(route.attempt, failed, 100 + at);
      for (const name of router.probesDue(100 + at)) router.probed(name, true, 100 + at);
    }
    expect(router.remote('failing')!.health.isOut).toBe(true);
    expect(attemptOf(router.route(work, null, 120)).remote.name).toBe('good');
  });

  test('slow is not failed: however often, one that lives is not put out for it, but thought slower', () => {
    const router = routerWith('a');
    warm(router);
    for (let at = 1; at <= 6; at += 1) {
      const nowMs = 1_000 * at;
      router.ended(attemptOf(router.route(work, null, nowMs)), { kind: 'overdue', load: null }, nowMs + 400);
      for (const name of router.probesDue(nowMs + 400)) router.probed(name, true, nowMs + 401);
    }
    const { health } = router.remote('a')!;
    expect([health.isOut, health.timesOut, health.failureShare]).toEqual([false, 0, 0]);
    expect(router.remote('a')!.slownessOf('m')).toBeGreaterThan(10);
  });

  test('work that was withdrawn says nothing of the remote', () => {
    const router = routerWith('a');
    router.ended(attemptOf(router.route(work, null, 0)), { kind: 'withdrawn' }, 900);
    const { health, load } = router.remote('a')!;
    expect([health.isOut, health.failureShare, load.inFlight]).toEqual([false, 0, 0]);
  });

  test('a remote is blamed for what was solved elsewhere', () => {
    const router = routerWith('a');
    router.ended(attemptOf(router.route(work, null, 0)), { kind: 'withdrawn' }, 1);
    router.blame('a', 5);
    router.blame('nobody', 5);
    expect([router.route(work, null, 6).kind, router.probesDue(6)]).toEqual(['none', ['a']]);
  });

  test('retries: the reserve, and a fifth of the attempts', () => {
    const router = routerWith('a');
    for (let retry = 0; retry < settings.retryReserve; retry += 1) expect(router.mayRetry(0)).toBe(true);
    expect(router.mayRetry(0)).toBe(false);
    warm(router);
    // 40 attempts earn 8.
    let retries = 0;
    while (router.mayRetry(0)) retries += 1;
    expect(retries).toBeGreaterThanOrEqual(7);
    expect(retries).toBeLessThanOrEqual(8);
  });
});

describe('one that has work and says nothing', () => {
  test('is asked after a quarter of a second whether it lives, and is out if not', () => {
    const router = routerWith('a', 'b');
    warm(router);
    const attempt = attemptOf(router.route(work, null, 100, new Set(['b'])));
    expect([router.probesDue(349), router.probesDue(350), router.probesDue(350)]).toEqual([[], ['a'], []]);
    router.probed('a', true, 360);
    // A sign of life: not again before 610.
    expect([router.isLost(attempt), router.probesDue(609), router.probesDue(610)]).toEqual([
      false,
      [],
      ['a'],
    ]);
    router.probed('a', false, 700);
    expect([router.isLost(attempt), router.remote('a')!.health.isOut]).toEqual([true, true]);
    router.ended(attempt, { kind: 'overdue', load: null }, 700);
    // Nothing is owed any more; it is out for half a second.
    expect([router.probesDue(1_199), router.probesDue(1_200)]).toEqual([[], ['a']]);
  });
});

describe('giving up what is overdue', () => {
  test('while it would be in time elsewhere', () => {
    const router = routerWith('a');
    const attempt = attemptOf(router.route(work, null, 0));
    expect(router.mayGiveUp(attempt, null, 100)).toBe(false);
    expect(router.mayGiveUp(attempt, 950, 100)).toBe(false);
    expect(router.mayGiveUp(attempt, 800, 100)).toBe(true);
    router.add('b');
    router.probed('b', true, 100);
    expect(router.mayGiveUp(attempt, null, 100)).toBe(true);
    expect(router.mayGiveUp(attempt, null, 100, new Set(['b']))).toBe(false);
  });

  test('looked at when it is overdue, and every tenth of a second', () => {
    const attempt = { sentMs: 0, overdueMs: 250 };
    expect([0, 160, 249, 250, 900].map((nowMs) => nextLookMs(attempt, nowMs))).toEqual([
      100, 90, 1, 100, 100,
    ]);
  });

  test('early enough that it can be done again', () => {
    const router = routerWith('a');
    // 11 ms there, 30 ms left: 1.25 × 11 = 13.75 are kept for doing it again, so it is overdue after 16.25.
    const { overdueMs } = attemptOf(router.route({ ...work, deadlineMs: 30 }, null, 0));
    expect(overdueMs).toBeCloseTo(16.25);
  });

  test('not before it could have been done', () => {
    const router = routerWith('a');
    // 15 ms left: 1.25 times what it is expected to take.
    expect(attemptOf(router.route({ ...work, deadlineMs: 15 }, null, 0)).overdueMs).toBeCloseTo(13.75);
  });

  test('within the budget', () => {
    const router = routerWith('a');
    const attempt = attemptOf(router.route(work, null, 0));
    while (router.mayRetry(100));
    expect(router.mayGiveUp(attempt, 10, 100)).toBe(false);
  });

  test('whatever is left of it, where the remote is out', () => {
    const router = routerWith('a');
    warm(router);
    const attempts = [0, 1, 2].map(() => attemptOf(router.route(work, null, 0)));
    while (router.mayRetry(100));
    router.ended(attempts[0]!, failed, 100);
    expect(router.mayGiveUp(attempts[2]!, 10, 100)).toBe(false);
    router.ended(attempts[1]!, failed, 100);
    expect(router.mayGiveUp(attempts[2]!, 10, 100)).toBe(true);
  });

  test('and where it is gone', () => {
    const router = routerWith('a');
    const attempt = attemptOf(router.route(work, null, 0));
    while (router.mayRetry(100));
    router.remove('a');
    expect([router.isLost(attempt), router.mayGiveUp(attempt, 10, 100)]).toEqual([true, true]);
  });
});
