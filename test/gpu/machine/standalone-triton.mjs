#!/usr/bin/env node
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { readFlags } from '../../../scripts/flags.mjs';
import { projectRoot } from '../../../scripts/setup/places.mjs';

const usage = `usage: node test/gpu/machine/standalone-triton.mjs --shards DIR [--out FILE] [--seconds S] [--build DIR] [--toolchain DIR]
The models of this repository in a stand-alone Triton server, called over gRPC by processes of Node.js with the shards
that candidate_cost_gpu_bench has written: candidate_cost in one call, and delivery_time, then candidate_cost.`;

const maxMessageBytes = 64 * 1024 * 1024;
const shardCount = 16;
const clientThreads = 4;
const orderColumns = 13;
const etrFeatures = 20;
const tensors = [
  ['params', 'INT64', 8],
  ['couriers', 'INT32', 4],
  ['held', 'INT32', 4],
  ['orders', 'INT32', 4],
  ['places', 'INT32', 4],
  ['order_features', 'FP32', 4],
  ['candidates', 'UINT16', 2],
];

const ours = (...path) => createRequire(import.meta.url)(join(projectRoot, 'dist', ...path));

function clientOf(address) {
  return ours('lib', 'engine-client', 'grpc.js').connectEngine({ address, maxMessageBytes });
}

function readShard(folder, number) {
  return tensors.map(([name, datatype, bytes]) => {
    const data = readFileSync(join(folder, `${number}.${name}`));
    return { name, datatype, shape: [1, data.length / bytes], data };
  });
}

const callOf = (model, inputs) => ({ model, version: '', requestId: '', inputs });
const farFromNow = () => Date.now() + 60_000;

async function onePass(client, shard) {
  await client.infer(callOf('candidate_cost', shard.tensors), farFromNow());
}

/** The times of the first call become known times of the second. */
async function twoCalls(client, shard) {
  const asked = {
    name: 'features',
    datatype: 'FP32',
    shape: [shard.rows, etrFeatures],
    data: shard.features,
  };
  const { outputs } = await client.infer(callOf('delivery_time', [asked]), farFromNow());
  const quantiles = outputs[0].data;
  for (let row = 0; row < shard.rows; row += 1) {
    const at = row * orderColumns * 4;
    const seconds = (column) => Math.round(quantiles.readFloatLE((row * 8 + column) * 4));
    shard.orders.writeInt32LE(seconds(0), at + 4 * 3);
    shard.orders.writeInt32LE(seconds(2), at + 4 * 9);
    shard.orders.writeInt32LE(seconds(4), at + 4 * 11);
    shard.orders.writeInt32LE(7, at + 4 * 7);
  }
  await client.infer(callOf('candidate_cost', shard.known), farFromNow());
}

function prepared(folder, number) {
  const own = readShard(folder, number);
  const known = readShard(folder, number);
  known[0].data.writeBigInt64LE(1n, 23 * 8);
  const orders = known[3].data;
  const rows = orders.length / 4 / orderColumns;
  const features = Buffer.from(
    new Float32Array(rows * etrFeatures).map((_, at) => (at % etrFeatures === 0 ? 0 : (at % 7) + 0.5)).buffer,
  );
  return { tensors: own, known, orders, rows, features };
}

const ways = { onePass, twoCalls };

/** In a thread: its share of the calls under way, each with a shard of its own. */
async function serveThread({ address, folder, way, numbers, seconds }) {
  const client = clientOf(address);
  const from = performance.now() + seconds * 200;
  const to = from + seconds * 1_000;
  const micros = [];
  const run = async (shard) => {
    for (let before = performance.now(); before < to;) {
      await ways[way](client, shard);
      const after = performance.now();
      if (before >= from && after <= to) micros.push(1_000 * (after - before));
      before = after;
    }
  };
  await Promise.all(numbers.map((number) => run(prepared(folder, number))));
  await client.close();
  parentPort.postMessage(micros);
}

function inThread(data) {
  return new Promise((resolved, rejected) => {
    const thread = new Worker(new URL(import.meta.url), { workerData: data });
    thread.once('message', resolved);
    thread.once('error', rejected);
  });
}

async function measure(address, folder, way, concurrency, seconds) {
  const threads = Math.min(concurrency, clientThreads);
  const numbersOf = (thread) =>
    [...Array(concurrency).keys()].filter((number) => number % threads === thread);
  const shares = [...Array(threads).keys()].map((thread) =>
    inThread({ address, folder, way, numbers: numbersOf(thread), seconds }),
  );
  const all = (await Promise.all(shares)).flat().sort((a, b) => a - b);
  const at = (part) => all[Math.floor(part * (all.length - 1))] ?? 0;
  return { concurrency, shardsPerSecond: all.length / seconds, p50Us: at(0.5), p99Us: at(0.99) };
}

async function main() {
  const text = (value) => ({ type: 'string', default: value });
  const values = readFlags(usage, {
    shards: { type: 'string' },
    out: { type: 'string' },
    seconds: text('1'),
    build: text(join(projectRoot, 'build', 'cuda')),
    toolchain: text(process.env.ROUNDHOUSE_TOOLCHAIN_DIR ?? join(projectRoot, '.roundhouse', 'toolchain')),
  });
  if (values.shards === undefined)
    throw new Error('--shards DIR: what candidate_cost_gpu_bench --shards DIR wrote');
  const { startStandaloneTriton } = ours('bench', 'standalone-triton.js');
  const server = await startStandaloneTriton({
    repository: join(projectRoot, 'models'),
    models: ['delivery_time', 'candidate_cost'],
    toolchain: resolve(values.toolchain),
    build: resolve(values.build),
  });
  const figures = {};
  try {
    for (const way of Object.keys(ways)) {
      figures[way] = [];
      for (const concurrency of [1, 4, shardCount]) {
        const rate = await measure(server.address, values.shards, way, concurrency, Number(values.seconds));
        figures[way].push(rate);
        console.log(`stand-alone, gRPC, ${way}: ${JSON.stringify(rate)}`);
      }
    }
  } finally {
    await server.stop();
  }
  if (values.out !== undefined) writeFileSync(values.out, `${JSON.stringify(figures, null, 2)}\n`);
}

if (isMainThread) {
  main().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
} else {
  await serveThread(workerData);
}
