import { partNames } from './parts.mjs';

const shards = 'SHARDS';
const engine = ['runtime', 'triton', 'tensorrt', 'kept', 'product'];
const pipeline = ['runtime', 'kafka', 'triton', 'tensorrt', 'kept', 'product'];
const scaleFlags = [
  '--least',
  '600',
  '--bundle-orders',
  '4',
  '--per-order',
  '2-2',
  '--bursts',
  '100',
  '--runs',
  '2',
];

/** Plans are built there: `level` is how much time TensorRT may take for one. */
const memoryRun = (ladder, level) => ({
  why: `issue 6: six models that would each take 4 GB within 24 GB, ladders of ${ladder}`,
  gpus: 1,
  seconds: 150,
  parts: ['runtime', 'triton', 'tensorrt', 'tensorrt-builder', 'kept', 'product'],
  steps: [
    {
      command: 'bench',
      names: ['stagger'],
      limit: 150,
      flags: [
        ...['--memory', '--heavy', ladder, '--kinds', `staggered:plan_level=${level}`],
        ...['--least', '8000', '--factor', '1', '--per-order', '1', '--bundle-orders', '1'],
        ...['--gpu-memory-limit', '24000000000-12000000000', '--templates', 'TEMPLATES'],
      ],
    },
  ],
});

/**
 * What is to be run on a machine with GPUs, each within `seconds`. `steps` follow each other, each with a limit of its own: a
 * command of run.mjs, names and flags (SHARDS and TEMPLATES are folders there); `gpus` is how many the machine has.
 */
export const plannedRuns = {
  tests: {
    why: 'every test of the GPU, and an engine that is confined',
    gpus: 1,
    seconds: 150,
    parts: engine,
    steps: [
      { command: 'test', names: ['delivery_time', 'candidate_cost', 'candidate_cost_backend'], limit: 40 },
      { command: 'test', names: ['route_planner'], limit: 30, flags: ['--random', '20000', '--each', '300'] },
      { command: 'test', names: ['engine-uses-gpu', 'confined-engine', 'illegal-address'], limit: 60 },
    ],
  },
  pipeline: {
    why: 'issue 5: rounds of 1,000 couriers, 2,000 orders, 100,000 candidates at 1/s, decision p99 under 500 ms',
    gpus: 1,
    seconds: 250,
    parts: pipeline,
    steps: [
      {
        command: 'bench',
        names: ['pipeline'],
        limit: 245,
        flags: ['--city', '--warm-up', '12', '--seconds', '202', '--bare-seconds', '0'],
      },
    ],
  },
  mixed: {
    why: 'issue 5: eight minutes of all models at once, no growth of GPU memory',
    gpus: 1,
    seconds: 520,
    parts: engine,
    steps: [{ command: 'bench', names: ['mixed'], limit: 515, flags: ['--seconds', '480'] }],
  },
  'candidate-cost': {
    why: 'issue 5: one pass against two calls, and against stand-alone Triton over gRPC',
    gpus: 1,
    seconds: 75,
    parts: engine,
    steps: [
      {
        command: 'bench',
        names: ['candidate-cost'],
        limit: 40,
        flags: ['--seconds', '0.25', '--shards', shards],
      },
      { command: 'standalone', names: [shards], limit: 35, flags: ['--seconds', '1'] },
    ],
  },
  memory: memoryRun('1024x16', 0),
  'memory-b': memoryRun('512x32', 1),
  'four-gpus': {
    why: 'issue 6: four GPUs 3.7 times one, none lost when an engine is killed',
    gpus: 4,
    seconds: 90,
    parts: engine,
    steps: [
      {
        command: 'bench',
        names: ['stagger'],
        limit: 90,
        flags: [
          ...['--scale', '--engines', '0|0;1;2;3', '--light', '512x16', '--heavy', '512x16', '--kill'],
          ...[...scaleFlags, '--templates', 'TEMPLATES'],
        ],
      },
    ],
  },
};

/** Those of the names, in the order of the table. Throws with what there is. */
export function plannedOf(names) {
  const unknown = names.filter((name) => !(name in plannedRuns));
  if (names.length > 0 && unknown.length === 0) {
    return Object.entries(plannedRuns).filter(([name]) => names.includes(name));
  }
  const what = names.length === 0 ? 'which run' : `no run ${unknown.join(', ')}`;
  throw new Error(`${what}? ${Object.keys(plannedRuns).join(', ')}`);
}

/** The parts that they need, in the order in which they are carried. The builder brings what only runs plans, too. */
export function partsOf(names) {
  const wanted = new Set(plannedOf(names).flatMap(([, { parts }]) => parts));
  return partNames.filter((part) => wanted.has(part));
}
