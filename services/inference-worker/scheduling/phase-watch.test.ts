import type { Attributes, SpanTime } from '#lib/tracing/tracer';
import { noTracer } from '#lib/tracing/tracer';
import type { PlacedAnswer, PlacedWork } from '../placement/placement';
import { PhaseWatch, traceOfWork, traceParameter } from './phase-watch';

const second = 1_000_000_000n;
const begin = 1_790_000_000n * second;
const trace = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
const sampled = `00-${trace.traceId}-${trace.spanId}-01`;

function workWith(parameters?: Record<string, string>): PlacedWork {
  const request = { model: 'candidate_cost', version: '1', requestId: 'r', inputs: [] };
  const sizes = { size: 1, bytesIn: 1, bytesOut: 1, failedOn: new Set<string>() };
  return { request: parameters === undefined ? request : { ...request, parameters }, ...sizes };
}

/** With `or` from and to those times, in seconds; the other phases took none. */
function answer(from: number, to: number): PlacedAnswer {
  const data = Buffer.alloc(64);
  const times = [0n, 0n, 0n, 0n, begin + BigInt(from * 1e9), begin + BigInt(to * 1e9), 0n, 0n];
  times.forEach((time, at) => data.writeBigInt64LE(time, 8 * at));
  const phases = { name: 'phases', datatype: 'INT64', shape: [8], data } as const;
  return {
    response: { model: 'candidate_cost', version: '1', outputs: [phases] },
    deviceKind: 'gpu',
    engine: 'gpu:0#2',
  };
}

function watched(records = false) {
  const ended: object[] = [];
  const worked: number[] = [];
  const parts: unknown[] = [];
  const events = {
    PhaseEnded: (fields: object) => void ended.push(fields),
    DeviceWorked: ({ seconds }: { seconds: number }) => void worked.push(Math.round(seconds * 1e3) / 1e3),
  };
  const part = (parent: object, name: string, start: SpanTime, end: SpanTime, attributes?: Attributes) =>
    void parts.push({ parent, name, start, end, attributes });
  return { watch: new PhaseWatch(events, { ...noTracer, records, part }), ended, worked, parts };
}

test('what shards of a batch have in common counts once', () => {
  const { watch, ended, worked } = watched();
  for (const [from, to] of [
    [0, 0.25], // a batch of two
    [0, 0.25],
    [0.125, 0.5], // overlaps by half of the first: 0.25 more
    [1, 1.5],
    [0.75, 0.875], // is told late: between two that were counted
  ] as const)
    watch.answered(workWith(), answer(from, to));
  expect(worked).toEqual([0.25, 0.25, 0.5]);
  expect(ended).toHaveLength(5);
  expect(ended[2]).toEqual({ model: 'candidate_cost', phase: 'or', seconds: 0.375, traceId: undefined });
});

test('phases of a trace that is recorded are its spans', () => {
  const { watch, parts, ended } = watched(true);
  watch.answered(workWith({ [traceParameter]: sampled }), answer(0, 0.5));
  watch.answered(workWith(), answer(1, 2));
  expect(parts).toEqual([
    {
      parent: { ...trace, isSampled: true, state: '' },
      name: 'or',
      start: begin,
      end: begin + second / 2n,
      attributes: { 'roundhouse.model': 'candidate_cost', 'roundhouse.device': 'gpu:0' },
    },
  ]);
  expect(ended[0]).toMatchObject({ traceId: trace.traceId });
});

test('without a tracer, and of a trace that nobody records, there are no spans', () => {
  const { watch, parts } = watched();
  watch.answered(workWith({ [traceParameter]: sampled }), answer(0, 1));
  expect(parts).toEqual([]);
  expect(traceOfWork(workWith({ [traceParameter]: `${sampled.slice(0, -2)}00` }))).toBeNull();
  expect(traceOfWork(workWith({ [traceParameter]: 'nonsense' }))).toBeNull();
});
