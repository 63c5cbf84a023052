import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tally } from '../../../scripts/test/part.mjs';
import { Engine, faultRequest } from './engine.mjs';
import { firstAnswers } from './first-answers.mjs';

const deviceFaultExitCode = 86;
/** From a broken GPU to an engine that is gone: a look at every 250 ms, answers under way, the end of the process. */
const goneWithinMs = 1_500;
/** Nobody sends it anything from then on. */
const notReadyWithinMs = 1_000;

/** From the start of the process, with a plan of TensorRT that is there already. */
const firstWithinMs = 3_000;

const confinedThread = {
  filtered: /^Seccomp:\s2$/m,
  'no new privileges': /^NoNewPrivs:\s1$/m,
  'without capabilities': /^CapEff:\s0+$/m,
};

const threadsOf = (pid) =>
  readdirSync(`/proc/${pid}/task`).map((id) => readFileSync(`/proc/${pid}/task/${id}/status`, 'utf8'));

/** Each gets the machine, and `check(holds, what)`; it resolves to figures. */
const scenarios = {
  'engine-uses-gpu': async (machine, check) => {
    const engine = await new Engine(machine).ready();
    const { device, gpus } = engine.event('DevicesChosen');
    check(device === machine.gpus[0].name, `the device is ${device}`);
    check(gpus.length === machine.gpus.length, `GPUs: ${gpus.join(', ')}`);
    const rejected = engine.log.filter(({ event }) => event === 'ModelRejected');
    check(rejected.length === 0, `rejected: ${JSON.stringify(rejected)}`);
    const first = await firstAnswers(machine, engine, check);
    check(first.firstInferenceMs < firstWithinMs, `the first inference after ${first.firstInferenceMs} ms`);
    await engine.stop();
    const loaded = engine.log.filter(({ event }) => event === 'ModelLoaded');
    return {
      readyMs: engine.readyMs,
      ...first,
      models: loaded.map(({ model, seconds }) => ({ model, seconds })),
    };
  },

  'engine-on-cpu': async (machine, check) => {
    const engine = await new Engine(machine, { ROUNDHOUSE_DEVICES: 'cpu' }).ready();
    const { device, unused } = engine.event('DevicesChosen');
    check(device === 'cpu' && unused === 'ROUNDHOUSE_DEVICES is cpu', `${device}, ${unused}`);
    check((await engine.stop()).code === 0, 'it stops in order');
    return { readyMs: engine.readyMs };
  },

  'build-without-cuda': async (machine, check) => {
    const ROUNDHOUSE_ENGINE_BACKENDS_DIR = join(machine.root, 'build', 'native', 'backends');
    const engine = await new Engine(machine, { ROUNDHOUSE_ENGINE_BACKENDS_DIR }).ready();
    const { device, unused } = engine.event('DevicesChosen');
    check(device === 'cpu' && unused === 'the backends were built without CUDA', `${device}, ${unused}`);
    check(engine.event('ModelRejected') === undefined, 'every model serves');
    await engine.stop();
    return { readyMs: engine.readyMs };
  },

  'confined-engine': async (machine, check) => {
    const engine = await new Engine(machine, { ROUNDHOUSE_ENGINE_CONFINEMENT: 'required' }).ready();
    const { holds, lacking } = engine.event('EngineConfined');
    check(holds, `confinement lacks ${lacking || 'nothing'}`);
    const { device } = engine.event('DevicesChosen');
    check(device === machine.gpus[0].name, `the device is ${device}`);
    const rejected = engine.log.filter(({ event }) => event === 'ModelRejected');
    check(rejected.length === 0, `rejected: ${JSON.stringify(rejected)}`);
    const threads = threadsOf(engine.child.pid);
    for (const [what, pattern] of Object.entries(confinedThread)) {
      const count = threads.filter((status) => pattern.test(status)).length;
      check(count === threads.length && count > 0, `${what}: ${count} of ${threads.length} threads`);
    }
    const first = await firstAnswers(machine, engine, check);
    await engine.stop();
    return { threads: threads.length, readyMs: engine.readyMs, ...first };
  },

  'absent-gpu': async (machine, check) => {
    const number = machine.gpus.length;
    const engine = new Engine(machine, { ROUNDHOUSE_DEVICES: `0,${number}` });
    const { code } = await engine.ended;
    check(code === 2, `exit code ${code}`);
    check(engine.words.includes(`ROUNDHOUSE_DEVICES names GPU ${number}, which is absent`), engine.words);
    return {};
  },

  'illegal-address': async (machine, check) => {
    const engine = await new Engine(machine).ready();
    const client = engine.connect();
    const brokenAt = performance.now();
    const request = faultRequest({ illegal_address: true });
    await client
      .infer(request, Date.now() + 5_000)
      .catch(({ code }) => check(code !== 'PAYLOAD_INVALID', code));
    let notReadyMs = null;
    const watching = setInterval(
      () =>
        void client.isReady().then(
          (ready) => (notReadyMs ??= ready ? null : performance.now() - brokenAt),
          () => undefined,
        ),
      10,
    );
    const tooLong = setTimeout(() => engine.child.kill('SIGKILL'), 10 * goneWithinMs);
    const { code, signal, at } = await engine.ended;
    clearTimeout(tooLong);
    clearInterval(watching);
    await client.close();
    const goneMs = at - brokenAt;
    check(code === deviceFaultExitCode, `exit code ${code ?? signal}`);
    // One that is gone before it was asked again is not ready either.
    const unreadyMs = notReadyMs ?? goneMs;
    check(unreadyMs < notReadyWithinMs, `not ready in ${unreadyMs.toFixed(0)} ms`);
    check(goneMs < goneWithinMs, `gone in ${goneMs.toFixed(0)} ms`);
    check(engine.words.includes('DEVICE_FAULT: '), engine.words);
    return { notReadyMs, goneMs, reason: engine.event('DeviceBroken')?.reason ?? '' };
  },
};

export const scenarioNames = Object.keys(scenarios);

/** Counts as one test; every check is told. */
export async function runScenario(machine, name) {
  const command = `scenario ${name}`;
  if (machine.gpus.length === 0) {
    console.log('SKIPPED: there is no GPU');
    return { command, seconds: 0, checks: null, outcome: tally(0, 0, 1), ended: 'no GPU' };
  }
  const startedAt = performance.now();
  const checks = tally();
  const check = (holds, what) => {
    checks[holds ? 'passed' : 'failed'] += 1;
    console.log(`${holds ? 'ok' : 'FAILED'}: ${what}`);
  };
  const figures = await scenarios[name](machine, check).catch((error) => {
    check(false, error.message);
    return {};
  });
  console.log(JSON.stringify(figures));
  const outcome = checks.failed > 0 ? tally(0, 1) : tally(1);
  return { command, seconds: (performance.now() - startedAt) / 1_000, checks, outcome, ended: '', figures };
}
