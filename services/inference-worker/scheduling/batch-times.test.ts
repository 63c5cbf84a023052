import { CostModel } from '#policy/scheduling/cost-model';
import { phases, phaseTimes, type Phase } from '#policy/scheduling/phases';
import type { SchedulingDevice } from '#policy/scheduling/scheduler';
import type { PhaseTime } from './answer-times';
import { BatchTimes } from './batch-times';

const gpu: SchedulingDevice = { id: 'gpu', speed: 1, arenaBytes: 0, fullSize: 1_000 };
const cpu: SchedulingDevice = {
  id: 'cpu',
  speed: 1,
  arenaBytes: 0,
  fullSize: 1,
  sideBySide: new Map([['m', 2]]),
};

const time = (phase: Phase, ms: number, span: string | null): PhaseTime => ({ phase, ms, span });
const zero = phaseTimes({ decode: 0, copyIn: 0, etr: 0, or: 0, copyOut: 0, publish: 0 });

function learnedMs(
  answers: readonly { size: number; times: readonly PhaseTime[] }[],
  device: SchedulingDevice,
) {
  const costs = new CostModel(() => zero);
  costs.setSpeed(device.id, 1);
  const batch = new BatchTimes(costs);
  for (const each of answers) batch.add({ ...each, device, model: 'm', isOnOneThread: device === cpu }, 0);
  batch.add({ size: 1, times: [], device, model: 'other', isOnOneThread: false }, 1_000);
  return (size: number, phase: Phase): number =>
    Math.round(1e6 * costs.rates(costs.classOf('m', size), device.id)[phases.indexOf(phase)]! * size) / 1e6;
}

test('one that was alone has its own time', () => {
  const ms = learnedMs([{ size: 500, times: [time('etr', 4, 'a')] }], gpu);
  expect(ms(500, 'etr')).toBe(4);
});

test('four that filled a GPU together count as one that would have had a part of it', () => {
  // 2,000 candidates took 12 ms of the whole GPU: 500 take 3 ms of it, as 6 ms of the half that they want.
  const times = [time('or', 12, 'b')];
  const ms = learnedMs(
    Array.from({ length: 4 }, () => ({ size: 500, times })),
    gpu,
  );
  expect(ms(500, 'or')).toBe(6);
});

test('on a processor a batch is on one thread, and its phases are one', () => {
  // ETR of both took 8 ms, of which the first has a quarter: 2 + 3 = 5 ms; the second 6 + 9 = 15 ms.
  const ms = learnedMs(
    [
      { size: 100, times: [time('etr', 8, 'c'), time('or', 3, 'd')] },
      { size: 300, times: [time('etr', 8, 'c'), time('or', 9, 'e')] },
    ],
    cpu,
  );
  expect([ms(100, 'or'), ms(300, 'or')]).toEqual([5, 15]);
});
