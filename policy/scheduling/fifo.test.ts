import { buildShard, costs, device, settings } from '../../test/support/build-scheduling';
import { Fifo } from './fifo';

function fifo(poolBytes = 100, ...devices: ReturnType<typeof device>[]): Fifo {
  const scheduler = new Fifo(settings({ poolBytes }), costs());
  for (const one of devices) scheduler.deviceUp(one);
  return scheduler;
}

test('by arrival, on the device with the fewest', () => {
  const scheduler = fifo(100, device('a'), device('b'));
  for (const id of ['1', '2', '3']) scheduler.arrive(buildShard(id), 0);
  const started = [1, 2, 3].map(() => scheduler.decide(0));
  expect(started.map((one) => one.kind === 'start' && [one.shard.id, one.deviceId])).toEqual([
    ['1', 'a'],
    ['2', 'b'],
    ['3', 'a'],
  ]);
  expect(scheduler.decide(0)).toEqual({ kind: 'wait', untilMs: Infinity });
});

test('the oldest waits for memory, and nobody passes it', () => {
  const scheduler = fifo(100, device('a'));
  scheduler.arrive(buildShard('1', { poolBytes: 60 }), 0);
  scheduler.arrive(buildShard('2', { poolBytes: 60 }), 0);
  scheduler.arrive(buildShard('3', { poolBytes: 1 }), 0);
  expect(scheduler.decide(0)).toMatchObject({ kind: 'start', shard: { id: '1' } });
  expect(scheduler.decide(0)).toEqual({ kind: 'wait', untilMs: 1_000 });
  scheduler.leave('1');
  expect(scheduler.decide(0)).toMatchObject({ kind: 'start', shard: { id: '2' } });
});

test('past its deadline it is late; larger than everything it is unfit', () => {
  const scheduler = fifo(100, device('a', { arenaBytes: 50 }));
  scheduler.arrive(buildShard('late', { deadlineMs: 10 }), 0);
  scheduler.arrive(buildShard('pool', { poolBytes: 101 }), 0);
  scheduler.arrive(buildShard('arena', { arenaBytes: 51 }), 0);
  expect(scheduler.decide(10)).toMatchObject({ kind: 'late', shard: { id: 'late' } });
  expect(scheduler.decide(10)).toMatchObject({ kind: 'unfit', shard: { id: 'pool' } });
  expect(scheduler.decide(10)).toMatchObject({ kind: 'unfit', shard: { id: 'arena' } });
});

test('a lost device gives its shards back to the front', () => {
  const scheduler = fifo(100, device('a'), device('b'));
  for (const id of ['1', '2', '3']) scheduler.arrive(buildShard(id), 0);
  scheduler.decide(0);
  scheduler.decide(0);
  expect(scheduler.deviceLost('a').map(({ id }) => id)).toEqual(['1']);
  expect(scheduler.decide(0)).toMatchObject({ kind: 'start', shard: { id: '1' }, deviceId: 'b' });
  expect(scheduler.figures()).toMatchObject({ waiting: 1, inFlight: 2, started: 3 });
});

test('one id or device twice is a fault of the caller; what is unknown is ignored', () => {
  const scheduler = fifo(100, device('a'));
  scheduler.arrive(buildShard('1'), 0);
  expect(() => scheduler.arrive(buildShard('1'), 0)).toThrow('shard 1 is there already');
  expect(() => scheduler.deviceUp(device('a'))).toThrow('device a is there already');
  scheduler.leave('unknown');
  scheduler.phaseStarted('unknown', 'etr', 0);
  scheduler.phaseEnded('unknown', 'etr', 1);
  expect(scheduler.deviceLost('unknown')).toEqual([]);
});
