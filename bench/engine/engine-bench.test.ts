import { parseOptions, stepsOf } from './options';
import { engineTimes, percentile } from './steps';
import { madeUpTensors } from './tensors';

test('steps of the concurrency: doubled, or by a step', () => {
  expect(stepsOf('1:32')).toEqual([1, 2, 4, 8, 16, 32]);
  expect(stepsOf('1:20')).toEqual([1, 2, 4, 8, 16]);
  expect(stepsOf('1:9:4')).toEqual([1, 5, 9]);
  expect(stepsOf('7')).toEqual([7]);
});

test.each(['', '0', '0:4', '5:1', '1:2:0', '1:2:3:4', '1:5000', 'x', '1:4096:1'])(
  '%j is no range',
  (text) => {
    expect(() => stepsOf(text)).toThrow(/--concurrency is/);
  },
);

test('percentiles are values that occurred', () => {
  const sorted = Array.from({ length: 100 }, (_, i) => i + 1);
  expect([0.5, 0.9, 0.99, 1].map((share) => percentile(sorted, share))).toEqual([50, 90, 99, 100]);
  expect(percentile([7], 0.5)).toBe(7);
});

test('times of a step are differences of the statistics, a request', () => {
  const look = (count: number, ns: number) => {
    const duration = { count, ns };
    return {
      inference_count: 2 * count,
      execution_count: count / 2,
      inference_stats: {
        success: duration,
        fail: duration,
        queue: duration,
        compute_input: duration,
        compute_infer: { count, ns: 10 * ns },
        compute_output: duration,
      },
    };
  };
  // 10 requests more took 20,000 ns more: 2 µs each, ten times that to infer; 20 inferences in 5 executions.
  expect(engineTimes([look(10, 5_000)], [look(20, 25_000)])).toEqual({
    queueUs: 2,
    computeInputUs: 2,
    computeInferUs: 20,
    computeOutputUs: 2,
    batch: 4,
  });
});

test('tensors are made up from the metadata', () => {
  const inputs = [
    { name: 'a', datatype: 'FP32', shape: [-1, 2] },
    { name: 'b', datatype: 'INT64', shape: [-1, -1] },
  ];
  const [a, b] = madeUpTensors(inputs, new Map([['b', [1, 3]]]));
  expect(a).toMatchObject({ shape: [1, 2] });
  expect(a!.data.readFloatLE(4)).toBeCloseTo(0.01);
  expect(b!.data).toEqual(Buffer.alloc(24));
  expect(() => madeUpTensors(inputs, new Map())).toThrow(/"b" \[-1, -1\] open: give --shape b:d,d/);
  expect(() => madeUpTensors(inputs, new Map([['c', [1]]]))).toThrow(/no input "c"; its inputs are a, b/);
});

test.each<[string[], RegExp]>([
  [[], /--model is missing/],
  [['--model', 'm', '--protocol', 'udp'], /--protocol is udp: one of grpc, http, shm/],
  [['--model', 'm', '--shape', 'a'], /--shape is a: NAME:d,d/],
  [['--model', 'm', '--protocol', 'shm', '--url', 'host:1'], /shm needs unix:PATH/],
  [['--model', 'm', '--seconds', '0'], /--seconds is 0/],
  [['--model', 'm', '--gpu-memory-limit', '24GB'], /--gpu-memory-limit is 24GB: a whole number/],
  [['--modle', 'm'], /unknown flag --modle: did you mean --model\?/],
])('%j is refused', (argv, message) => {
  expect(() => parseOptions(argv)).toThrow(message);
});
