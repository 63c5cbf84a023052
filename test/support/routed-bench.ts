import type { EngineClient, InferRequest, InferResponse } from '#lib/engine-client/port';
import { Router } from '#policy/balancing/router';
import { defaultRouterSettings } from '#policy/balancing/settings';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError, type ErrorCode } from '#schemas/errors';
import type { PlacedAnswer, PlacedWork } from '#services/inference-worker/placement/placement';
import { ModelCheck } from '#services/inference-worker/remote/model-check';
import { RemoteEngine } from '#services/inference-worker/remote/remote-engine';
import { RemoteSet } from '#services/inference-worker/remote/remote-set';
import { RoutedEngines } from '#services/inference-worker/remote/routed-engines';

export type Infer = (request: InferRequest, until: UnixMs, signal?: AbortSignal) => Promise<InferResponse>;

export const plans = (bytes: number): InferResponse => ({
  model: 'm',
  version: '1',
  outputs: [{ name: 'plans', datatype: 'UINT8', shape: [1, bytes], data: new Uint8Array(bytes) }],
});
export const failing =
  (code: ErrorCode, message = 'x'): Infer =>
  () =>
    Promise.reject(new RoundhouseError(code, message));
export const silent: Infer = (_request, _until, signal) =>
  new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)));

export const work = (): PlacedWork => ({
  request: { model: 'm', version: '', requestId: 'r', inputs: [] },
  size: 10,
  bytesIn: 100,
  bytesOut: 64,
  failedOn: new Set(),
});
/** Far enough for a machine that is busy with other things. */
export const soon = (ms = 60_000): UnixMs => (Date.now() + ms) as UnixMs;

/** Turns of the loop go by until it holds. */
export async function turnsUntil(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Our own engines, as a test wants them. */
export class Here {
  finishMs: number | null = 1_000;
  handedOver: string | null = null;
  asked = 0;
  /** How often somebody looked whether an engine is up. */
  looks = 0;
  answer: () => Promise<PlacedAnswer> = () =>
    Promise.resolve({ response: plans(64), deviceKind: 'cpu', engine: 'cpu#1' });
  private listeners: ((reason: string | null) => void)[] = [];

  infer(): Promise<PlacedAnswer> {
    this.asked += 1;
    return this.answer();
  }
  expectedFinishMs = () => this.finishMs;
  whyDown = (): string | null => {
    this.looks += 1;
    return this.finishMs === null ? 'it was killed' : null;
  };
  whyHandedOver = () => this.handedOver;
  onHandOver = (listener: (reason: string | null) => void) => void this.listeners.push(listener);
  handOver(reason: string | null): void {
    this.handedOver = reason;
    for (const listener of this.listeners) listener(reason);
  }
  load = () => ({ waiting: 0, inFlight: 0, expectedWaitMs: 0, devices: [], at: 0 as UnixMs });
}

export interface Bench {
  readonly here: Here;
  readonly routed: RoutedEngines;
  readonly router: Router;
  readonly remotes: RemoteSet;
  /** Names of those that were asked, in order. */
  readonly asked: string[];
  readonly ends: string[];
}

const noCheck = new ModelCheck(() => Promise.resolve(null));
const benches: Bench[] = [];
/** Ends all that were made. */
export async function closeBenches(): Promise<void> {
  for (const { remotes } of benches.splice(0)) await remotes.close();
}

/** Remotes by name; each lives, and answers as it is told. */
export async function bench(theirs: Readonly<Record<string, Infer>>, check = noCheck): Promise<Bench> {
  const asked: string[] = [];
  const ends: string[] = [];
  const clients = (name: string) =>
    ({
      infer(request: InferRequest, until: UnixMs, signal?: AbortSignal) {
        asked.push(name);
        return theirs[name]!(request, until, signal);
      },
      isLive: () => Promise.resolve(true),
      close: () => Promise.resolve(),
    }) as unknown as EngineClient;
  const router = new Router(() => 0, { ...defaultRouterSettings, overdueLeastMs: 20 });
  const nothing = (): void => undefined;
  const events = {
    RemoteFound: nothing,
    RemoteGone: nothing,
    RemoteUsable: nothing,
    RemotesKnown: nothing,
    RemoteIsOwn: nothing,
    RemoteSilent: nothing,
    RemoteAnswered: ({ end }: { readonly end: string }) => void ends.push(end),
  };
  const remotes = new RemoteSet({
    router,
    events,
    connect: (entry) => new RemoteEngine(entry, clients(entry.name), check),
  });
  remotes.replace(
    Object.keys(theirs).map((name) => ({ name, address: 'host:1', kind: 'worker', device: 'gpu:there' })),
  );
  await turnsUntil(() => remotes.usableCount === Object.keys(theirs).length);
  const here = new Here();
  const routed = new RoutedEngines({ local: here, handOver: here, router, remotes, events });
  const made = { here, routed, router, remotes, asked, ends };
  benches.push(made);
  return made;
}

export const good: Infer = () => Promise.resolve(plans(64));
