import { runCommand } from '#lib/command-line';
import { EngineService } from '#lib/engine-client/engine-service';
import { compareEcho } from './echo';
import { grpcTarget, shmTarget } from './grpc-target';
import { httpTarget } from './http-target';
import { parseOptions, usage, type EchoRun, type LoadOptions } from './options';
import { startEngine, startServer } from './started';
import { runStep, type StepFigures } from './steps';
import type { Target } from './target';
import { madeUpTensors, tensorsOfFile } from './tensors';

interface Opened {
  readonly target: Target;
  /** What the backends of an engine of ours hold of each GPU. */
  gpuMemory(): Promise<readonly object[]>;
  stop(): Promise<void>;
}

const none = (): Promise<readonly object[]> => Promise.resolve([]);

async function gpuMemoryOf(address: string): Promise<readonly object[]> {
  const service = new EngineService(address);
  try {
    return (await service.ask<{ gpus: object[] }>('Memory', 5_000)).gpus;
  } finally {
    service.close();
  }
}

const nothing = (): Promise<void> => Promise.resolve();

async function open({ protocol, url, models, model, gpuMemoryLimit }: LoadOptions): Promise<Opened> {
  if (protocol === 'http') {
    const server =
      url === undefined ? await startServer(models, model, gpuMemoryLimit) : { url, stop: nothing };
    return { target: httpTarget(server.url, model), gpuMemory: none, stop: () => server.stop() };
  }
  const engine =
    url === undefined ? await startEngine(models, model, gpuMemoryLimit) : { address: url, stop: nothing };
  const { address } = engine;
  const target = protocol === 'shm' ? await shmTarget(address, model) : grpcTarget(address, model);
  const gpuMemory = url === undefined ? () => gpuMemoryOf(address) : none;
  return { target, gpuMemory, stop: () => engine.stop() };
}

const columns: readonly (readonly [title: string, of: (step: StepFigures) => number])[] = [
  ['at once', ({ concurrency }) => concurrency],
  ['/s', ({ perSecond }) => perSecond],
  ['p50 ms', ({ p50Ms }) => p50Ms],
  ['p90 ms', ({ p90Ms }) => p90Ms],
  ['p95 ms', ({ p95Ms }) => p95Ms],
  ['p99 ms', ({ p99Ms }) => p99Ms],
  ['queue us', ({ queueUs }) => queueUs],
  ['in us', ({ computeInputUs }) => computeInputUs],
  ['infer us', ({ computeInferUs }) => computeInferUs],
  ['out us', ({ computeOutputUs }) => computeOutputUs],
  ['batch', ({ batch }) => batch],
  ['errors', ({ errors }) => errors],
];

const row = (cells: readonly (string | number)[]): string =>
  `${cells.map((cell) => String(cell).padStart(10)).join('')}\n`;

async function measure(options: LoadOptions): Promise<void> {
  const { model, protocol, seconds, steps, shapes, inputFile } = options;
  const fromFile = inputFile === undefined ? undefined : tensorsOfFile(inputFile);
  const { target, gpuMemory, stop } = await open(options);
  try {
    const tensors = fromFile ?? madeUpTensors(await target.inputs(), shapes);
    const call = target.prepare(tensors);
    const figures: StepFigures[] = [];
    process.stderr.write(row(columns.map(([title]) => title)));
    for (const concurrency of steps) {
      const step = await runStep(target, call, concurrency, seconds);
      process.stderr.write(row(columns.map(([, of]) => of(step))));
      figures.push(step);
    }
    const requestBytes = tensors.reduce((sum, { data }) => sum + data.length, 0);
    const memory = await gpuMemory();
    const result = { model, protocol, seconds, requestBytes, steps: figures, gpuMemory: memory };
    process.stdout.write(`${JSON.stringify(result)}\n`);
  } finally {
    await target.close();
    await stop();
  }
}

const run = (options: LoadOptions | EchoRun): Promise<void> =>
  options.kind === 'echo' ? compareEcho(options) : measure(options);

void runCommand({ usage, parse: parseOptions, run });
