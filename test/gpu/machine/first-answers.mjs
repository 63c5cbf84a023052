import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const features = 20;
const rows = 64;

/** The samples of a file of ../shared/or, packed for the model route_planner, and what their best plans cost. */
function sampleProblems({ root, shared }, name) {
  const require = createRequire(import.meta.url);
  const { parseProblem } = require(join(root, 'dist', 'native', 'planner', 'parse-problem.js'));
  const { packProblems } = require(join(root, 'dist', 'native', 'planner', 'pack-problems.js'));
  const linesOf = (file) =>
    readFileSync(join(shared, 'or', file), 'utf8')
      .trim()
      .split('\n');
  const problems = linesOf(`${name}.jsonl`).map((line) => parseProblem(line).problem);
  const costs = linesOf(`${name}.optimal.csv`)
    .slice(1)
    .map((line) => BigInt(line.split(',')[2]));
  return { words: packProblems(problems), costs };
}

function request(model, name, datatype, shape, array) {
  const data = Buffer.from(array.buffer, array.byteOffset, array.byteLength);
  return { model, version: '', requestId: 'first', inputs: [{ name, datatype, shape, data }] };
}

/** Asks an engine for its first plans and predictions; milliseconds since it was spawned. */
export async function firstAnswers(machine, engine, check) {
  const client = engine.connect();
  const within = () => Date.now() + 30_000;
  try {
    const { words, costs } = sampleProblems(machine, 'city_n5');
    const plans = await client.infer(
      request('route_planner', 'problems', 'INT32', [1, words.length], words),
      within(),
    );
    const firstPlansMs = performance.now() - engine.startedAt;
    const { data } = plans.outputs.find((output) => output.name === 'costs');
    const bytes = Buffer.from(data);
    const right = costs.filter((cost, index) => bytes.readBigInt64LE(8 * index) === cost).length;
    check(right === costs.length, `${right} of ${costs.length} plans cost what the best ones do`);
    const input = new Float32Array(rows * features).fill(1);
    const answer = await client.infer(
      request('delivery_time', 'features', 'FP32', [rows, features], input),
      within(),
    );
    const firstInferenceMs = performance.now() - engine.startedAt;
    const quantiles = Buffer.from(answer.outputs[0].data);
    check(quantiles.readFloatLE(0) > 0, `the first prediction is ${quantiles.readFloatLE(0)}`);
    return { firstPlansMs, firstInferenceMs };
  } finally {
    await client.close();
  }
}
