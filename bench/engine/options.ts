import { ArgumentsInvalid, numberFlag, readFlags } from '#lib/command-line';

export const usage = `npm run --silent bench -- engine --model M [flags]
  Requests to one model, so many at once, for each step of the concurrency: throughput, latency, and where the
  engine spent the time by its own statistics. A table on standard error, one JSON object on standard output.

  --model M               the model; its metadata say what is sent
  --concurrency A:B[:S]   from A to B, by steps of S; doubled from step to step without S (default 1:32)
  --protocol P            grpc (default), http with tensors as bytes, or shm, the worker's own data plane
  --url U                 a running worker or Triton server: host:port, or unix:PATH of an engine's socket for grpc and
                          shm. Without it an engine is started
  --models DIR            repository of the engine that is started (default models)
  --shape NAME:d,d,…      shape of an input, batch included; needed where the model leaves a dimension open; repeat it
  --input FILE            a request as JSON (docs/kserve.md): what is sent, instead of made-up numbers
  --seconds S             of a step (default 3), after a sixth of that to warm up
  --gpu-memory-limit B    bytes of each GPU that the backends of the engine that is started may hold (default 0: no limit);
                          what they held is in the result
  --echo                  instead: echo requests in this process and through gRPC, with --bytes (default 100000)`;

export const protocols = ['grpc', 'http', 'shm'] as const;
export type Protocol = (typeof protocols)[number];

export interface LoadOptions {
  readonly kind: 'load';
  readonly model: string;
  readonly steps: readonly number[];
  readonly protocol: Protocol;
  readonly url: string | undefined;
  readonly models: string;
  readonly shapes: ReadonlyMap<string, readonly number[]>;
  readonly inputFile: string | undefined;
  readonly seconds: number;
  readonly gpuMemoryLimit: number;
}

export interface EchoRun {
  readonly kind: 'echo';
  readonly seconds: number;
  readonly bytes: number;
  readonly concurrency: number;
}

const mostAtOnce = 4_096;
const mostSteps = 1_000;

/** `1:32` doubles, `1:32:4` adds, `8` is one step. */
export function stepsOf(text: string): number[] {
  const [, from, to = from, by] = /^(\d{1,9})(?::(\d{1,9})(?::(\d{1,9}))?)?$/.exec(text) ?? [];
  const [first, last, step] = [Number(from), Number(to), by === undefined ? null : Number(by)];
  if (!(first >= 1 && last >= first && last <= mostAtOnce) || step === 0) {
    throw new ArgumentsInvalid(`--concurrency is ${text}: start:end[:step] from 1 to ${mostAtOnce}`);
  }
  const steps: number[] = [];
  for (let at = first; at <= last; at = step === null ? 2 * at : at + step) steps.push(at);
  if (steps.length > mostSteps) throw new ArgumentsInvalid(`--concurrency is ${text}: ${steps.length} steps`);
  return steps;
}

function shapeOf(text: string): [string, number[]] {
  const [, name, dimensions] = /^([^:]+):(\d{1,9}(?:,\d{1,9})*)$/.exec(text) ?? [];
  if (name === undefined) throw new ArgumentsInvalid(`--shape is ${text}: NAME:d,d,… is wanted`);
  return [name, dimensions!.split(',').map(Number)];
}

function protocolOf(text: string): Protocol {
  const found = protocols.find((protocol) => protocol === text);
  if (found === undefined)
    throw new ArgumentsInvalid(`--protocol is ${text}: one of ${protocols.join(', ')}`);
  return found;
}

export function parseOptions(argv: readonly string[]): LoadOptions | EchoRun {
  const text = { type: 'string' } as const;
  const given = readFlags(argv, {
    model: text,
    concurrency: text,
    protocol: text,
    url: text,
    models: text,
    shape: { type: 'string', multiple: true },
    input: text,
    seconds: text,
    'gpu-memory-limit': text,
    echo: { type: 'boolean' },
    bytes: text,
  });
  const seconds = numberFlag('seconds', given.seconds, { default: 3, min: 0.1, max: 3_600, whole: false });
  if (given.echo === true) {
    const bytes = numberFlag('bytes', given.bytes, { default: 100_000, min: 4, max: 1e9 });
    const [concurrency] = stepsOf(given.concurrency ?? '4');
    return { kind: 'echo', seconds, bytes: 4 * Math.ceil(bytes / 4), concurrency: concurrency! };
  }
  if (given.model === undefined) throw new ArgumentsInvalid('--model is missing');
  const protocol = protocolOf(given.protocol ?? 'grpc');
  if (protocol === 'shm' && given.url?.startsWith('unix:') === false) {
    throw new ArgumentsInvalid(
      `--url is ${given.url}: shm needs unix:PATH, memory is not shared over a network`,
    );
  }
  return {
    kind: 'load',
    model: given.model,
    steps: stepsOf(given.concurrency ?? '1:32'),
    protocol,
    url: given.url,
    models: given.models ?? 'models',
    shapes: new Map((given.shape ?? []).map(shapeOf)),
    inputFile: given.input,
    seconds,
    gpuMemoryLimit: numberFlag('gpu-memory-limit', given['gpu-memory-limit'], {
      default: 0,
      min: 0,
      max: Number.MAX_SAFE_INTEGER,
    }),
  };
}
