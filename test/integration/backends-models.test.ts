import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { packProblems } from '#native/planner/pack-problems';
import { RoutePlanner } from '#native/planner/route-planner';
import type { RouteProblem } from '#native/planner/route-problem';
import { runNetwork } from '../support/predict-times';
import {
  BackendHost,
  constantNetwork,
  floatOf,
  int32Of,
  int64Of,
  outputsOf,
  shippedNetwork,
  statisticsOf,
} from './backend-host';
import { cityRound, randomOf, shardsOf } from './backend-rounds';

let host: BackendHost;
beforeEach(async () => {
  host = await BackendHost.start([]);
});
afterEach(() => host[Symbol.asyncDispose]());

const bytesOf = (values: Float32Array | Int32Array) => new Uint8Array(values.buffer);

describe('delivery_time', () => {
  const rowsOf = (seed: number, count: number) => {
    const random = randomOf(seed);
    return Array.from({ length: count }, () => Array.from({ length: 20 }, () => random() * 10));
  };
  const predict = async (rows: readonly number[][]) => {
    const data = bytesOf(Float32Array.from(rows.flat()));
    const inputs = [{ name: 'features', datatype: 'FP32', shape: [rows.length, 20], data }];
    return floatOf(outputsOf(await host.server.infer({ model: 'delivery_time', inputs })).quantiles!);
  };

  test('rows have the same bits whatever the batch, and as another binding of the runtime gives them', async () => {
    await host.server.loadModel('delivery_time');
    const rows = rowsOf(1, 1_000);
    const expected = Array.from(runNetwork(shippedNetwork, rows));
    expect(await predict(rows)).toEqual(expected);
    for (const batch of [1, 7, 128]) {
      const parts = Array.from({ length: Math.ceil(200 / batch) }, (_, i) =>
        rows.slice(i * batch, (i + 1) * batch),
      );
      const found = (await Promise.all(parts.map(predict))).flat();
      expect(found).toEqual(expected.slice(0, found.length));
    }
  });

  test('requests share a call of the network where the configuration says so', async () => {
    // What is sent at once waits for company, however fast each of them would be computed.
    const batching = 'dynamic_batching { max_queue_delay_microseconds: 200000 }\n';
    appendFileSync(join(host.repository, 'delivery_time', 'config.pbtxt'), batching);
    await host.server.loadModel('delivery_time');
    const [longest, ...others] = [4_096, ...new Array<number>(64).fill(50)].map((count, i) =>
      rowsOf(i, count),
    );
    await Promise.all([longest!, ...others].map(predict));
    const [model] = statisticsOf(host.server, 'delivery_time');
    expect(model!.inference_count).toBe(4_096 + 64 * 50); // rows
    expect(model!.execution_count).toBeLessThan(64);
  });

  test('wrong columns and too many rows are refused', async () => {
    await host.server.loadModel('delivery_time');
    const features = (rows: number, columns: number) => [
      {
        name: 'features',
        datatype: 'FP32',
        shape: [rows, columns],
        data: new Uint8Array(4 * rows * columns),
      },
    ];
    const infer = (inputs: ReturnType<typeof features>) =>
      host.server.infer({ model: 'delivery_time', inputs });
    await expect(infer(features(2, 19))).rejects.toThrow(/'features'.*\[-1,20\]/);
    await expect(infer(features(65_537, 20))).rejects.toThrow(/batch-size must be <= 65536/);
  });
});

describe('versions of candidate_cost and their pins', () => {
  // Whatever is known of orders stays out: ride factors alone tell the networks apart.
  const shard = shardsOf(cityRound({ seed: 31, couriers: 6, orders: 8, known: true }), 500)[0]!;
  const rideFactors = async (version?: string) => {
    const request = { model: 'candidate_cost', inputs: shard.tensors, ...(version ? { version } : {}) };
    return int32Of(outputsOf(await host.server.infer(request)).ride_factors!);
  };
  const stateOf = async (version: string) => {
    const index = await host.server.repositoryIndex();
    return index.find((entry) => entry.name === 'candidate_cost' && entry.version === version);
  };

  test('two versions are served side by side, each with the network that it pins', async () => {
    host.addNetwork('2', constantNetwork);
    host.addPin('2', 'delivery_time/2/model.onnx');
    await host.server.loadModel('candidate_cost');
    const stable = await rideFactors('1');
    // The constant network adds its inputs up: 1 + sin(π) + cos(π) + 0 + 0.25 + 0.6 + 1 (the vehicle) = 1.85.
    expect(await rideFactors('2')).toEqual([1_850, 1_850, 1_850, 1_850]);
    expect(stable).not.toContain(1_850);
    expect(await rideFactors()).toEqual(await rideFactors('2')); // no version: the newest
    expect(statisticsOf(host.server, 'candidate_cost').map(({ version }) => version)).toEqual(['1', '2']);
  });

  test('a third version is served beside the others', async () => {
    host.addNetwork('2', constantNetwork);
    for (const version of ['2', '3']) host.addPin(version, 'delivery_time/2/model.onnx');
    await host.server.loadModel('candidate_cost');
    const ready = ['1', '2', '3'].map((version) => host.server.isModelReady('candidate_cost', version));
    expect(ready).toEqual([true, true, true]);
  });

  test.each<[string, () => void, RegExp]>([
    [
      'a file of other content',
      () => host.addPin('2', 'delivery_time/1/model.onnx', 'ab'.repeat(32)),
      /the pinned network delivery_time\/1\/model\.onnx has SHA-256 [0-9a-f]{64}, the pin says abab/,
    ],
    [
      'a network with wrong columns',
      () => {
        host.addNetwork('2', constantNetwork.replace('constant', 'wrong_columns'));
        host.addPin('2', 'delivery_time/2/model.onnx');
      },
      /input has shape \[N, 19\]; it must be one FP32 'features' of shape \[N, 20\]/,
    ],
    [
      'a network whose dry run is not finite',
      () => {
        host.addNetwork('2', constantNetwork.replace('constant', 'infinite'));
        host.addPin('2', 'delivery_time/2/model.onnx');
      },
      /the network's dry run gives/,
    ],
  ])('%s is refused at load, and version 1 goes on', async (_name, publish, reason) => {
    await host.server.loadModel('candidate_cost');
    const before = await rideFactors('1');
    publish();
    await expect(host.server.loadModel('candidate_cost')).rejects.toThrow();
    expect((await stateOf('2'))?.reason).toMatch(reason);
    expect(await rideFactors('1')).toEqual(before);
  });

  test('a config.pbtxt with other tensors is refused with both lists', async () => {
    const file = join(host.repository, 'route_planner/config.pbtxt');
    writeFileSync(file, readFileSync(file, 'utf8').replace('"flags"', '"marks"'));
    await expect(host.server.loadModel('route_planner')).rejects.toThrow();
    const index = await host.server.repositoryIndex();
    expect(index.find(({ name, version }) => name === 'route_planner' && version === '1')?.reason).toMatch(
      /declares the outputs costs TYPE_INT64, marks TYPE_UINT8, .*; this backend has costs TYPE_INT64, flags TYPE_UINT8/,
    );
  });
});

describe('route_planner', () => {
  const planner = new RoutePlanner();
  const solve = async (words: Int32Array) => {
    const inputs = [{ name: 'problems', datatype: 'INT32', shape: [1, words.length], data: bytesOf(words) }];
    return outputsOf(await host.server.infer({ model: 'route_planner', inputs }));
  };

  /** `count` orders of which the first is on board; travel without the triangle inequality. */
  function problemOf(seed: number, count: number): RouteProblem {
    const random = randomOf(seed);
    const whole = (most: number) => Math.floor(random() * most);
    const orders = Array.from({ length: count }, (_, i) => ({
      ready: whole(900),
      promised: 600 + whole(1_800),
      latestDropoff: null,
      size: 1,
      onBoard: i === 0,
    }));
    const stops = orders.flatMap(({ onBoard }, i) => {
      const stop = { group: 'held' as const, orders: [i], preService: whole(30), postService: whole(120) };
      const dropoff = { ...stop, kind: 'dropoff' as const };
      return onBoard ? [dropoff] : [{ ...stop, kind: 'pickup' as const }, dropoff];
    });
    const nodes = stops.length + 1;
    const travel = Array.from({ length: nodes }, () => Array.from({ length: nodes }, () => whole(1_200)));
    const weights = { lateness: 5, duration: 1, freshness: 1 };
    return { orders, stops, travel, weights, startAt: 0, capacity: 3, latestPickup: null, interleave: true };
  }

  test('cost, sequence and flags are those of the solve command, heuristic plans included', async () => {
    await host.server.loadModel('route_planner');
    const problems = Array.from({ length: 60 }, (_, i) => problemOf(i, 1 + (i % 8)));
    const outputs = await solve(packProblems(problems));
    const plans = planner.solveProblems(problems);
    expect(int64Of(outputs.costs!)).toEqual(plans.map(({ cost }) => cost));
    expect(Array.from(outputs.flags!)).toEqual(
      plans.map(({ feasible, unproven }) => (feasible ? 1 : 0) + (unproven ? 2 : 0)),
    );
    expect(outputs.flags!.includes(3)).toBe(true); // 8 orders
    const sequences = plans.flatMap(({ stops }) => [
      ...stops,
      ...new Array<number>(16 - stops.length).fill(0),
    ]);
    expect(Array.from(outputs.sequences!)).toEqual(sequences);
  });

  test('requests of one batch: the one with a refused problem fails alone, named', async () => {
    await host.server.loadModel('route_planner');
    const good = problemOf(1, 3);
    const bad = { ...good, weights: { ...good.weights, lateness: -1 } };
    const truncated = packProblems([good]).slice(0, -1);
    const results = await Promise.allSettled([
      solve(packProblems([good, good])),
      solve(packProblems([good, bad])),
      solve(truncated),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect((results[1] as PromiseRejectedResult).reason).toMatchObject({
      code: 'INVALID_ARG',
      message: "PAYLOAD_INVALID: tensor 'problems', problem 1 has a weight below 0",
    });
    expect(String((results[2] as PromiseRejectedResult).reason)).toMatch(/problem 0 can't be read/);
  });
});
