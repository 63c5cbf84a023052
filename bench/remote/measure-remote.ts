/** The worker that asks: its argument is AskingSettings as JSON, and it sends one message, the figures. */
import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import { createTelemetry, defineEvents } from '#lib/telemetry';
import type { UnixMs } from '#schemas/brands';
import { networksOf } from '#services/inference-worker/remote/ucx/networks';
import { connectOverUcx } from '#services/inference-worker/remote/ucx/ucx-engine-client';
import { ucxEvents, type UcxEvents } from '#services/inference-worker/remote/ucx/ucx-events';
import { UcxHost } from '#native/ucx/ucx-host';
import type { Call, Figures } from '../dataplane/measure';
import type { Options } from './options';
import type { ServingPorts } from './serving-worker';
import { measureSettled } from './turns';

export interface AskingSettings {
  /** Of the serving worker. */
  readonly address: string;
  readonly ports: ServingPorts;
  readonly library: string;
  readonly options: Options;
}

/** To the parent: the serving worker is to end its UCX and begin again, or to collect its garbage. */
export interface Order {
  readonly order: 'break' | 'collect';
}

const maxMessageBytes = 67_108_864;
const { address, ports, library, options } = JSON.parse(process.argv[2]!) as AskingSettings;
const telemetry = createTelemetry({ service: 'bench', logLevel: 'silent' });
const counts = { UcxSent: 0, UcxFellBack: 0, UcxOpened: 0, UcxLost: 0, inFlight: 0 };
let unavailable = '';
const logged = defineEvents(telemetry, ucxEvents);
const events: UcxEvents = {
  ...logged,
  UcxSent: () => (counts.UcxSent += 1),
  UcxOpened: () => (counts.UcxOpened += 1),
  UcxLost: () => (counts.UcxLost += 1),
  UcxUnavailable: ({ reason }) => void (unavailable = reason),
  UcxFellBack: ({ reason }) => {
    counts.UcxFellBack += 1;
    counts.inFlight += Number(reason === 'lost_in_flight');
  },
};

const host = new UcxHost({ library, transports: options.transports, devices: '' });
const grpcTo = (port: number): EngineClient =>
  connectEngine({ address: `${address}:${port}`, maxMessageBytes, asPeer: true });
const pauses = { firstMs: 20, lastMs: 200, refusedMs: 200 };
const ucxTo = (port: number): EngineClient =>
  connectOverUcx({
    grpc: grpcTo(port),
    host,
    address: `${address}:${ports.engine}`,
    tls: null,
    networks: networksOf([address])!,
    pauses,
    events,
  });

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** One there and back; the answer has to be what was sent. */
function callOf(client: EngineClient, model: string, bytes: number): Call {
  const free: Buffer[] = [];
  let last = 0;
  return async () => {
    const payload = free.pop() ?? Buffer.alloc(bytes, 7);
    const number = ++last;
    payload.writeUInt32LE(number, 0);
    payload.writeUInt32LE(number, bytes - 4);
    const input = { name: 'IN', datatype: 'UINT8' as const, shape: [bytes], data: payload };
    const request = { model, version: '', requestId: 'bench', inputs: [input] };
    const { outputs } = await client.infer(request, (Date.now() + 20_000) as UnixMs);
    const got = outputs[0]!.data as Buffer;
    const isSame =
      got.length === bytes && got.readUInt32LE(0) === number && got.readUInt32LE(bytes - 4) === number;
    if (!isSame) throw new Error('the answer is not what was sent');
    free.push(payload);
  };
}

/** Of both ends, so that no way pays for another one's. */
async function collectGarbage(): Promise<void> {
  process.send!({ order: 'collect' } satisfies Order);
  globalThis.gc?.();
  await pause(50);
}

const lowerBy = (ucx: number, grpc: number): number => Number((1 - ucx / grpc).toFixed(3));

interface Case {
  readonly way: string;
  readonly bytes: number;
  readonly concurrency: number;
  readonly ucx: Figures;
  readonly grpc: Figures;
  readonly p50LowerBy: number;
  readonly p99LowerBy: number;
}

async function measureCase(
  way: string,
  model: string,
  ends: Record<'ucx' | 'grpc', EngineClient>,
  bytes: number,
  concurrency: number,
): Promise<Case> {
  const ways = new Map(Object.entries(ends).map(([name, client]) => [name, callOf(client, model, bytes)]));
  const before = counts.UcxFellBack;
  const figures = await measureSettled(ways, concurrency, options.seconds, collectGarbage);
  if (counts.UcxFellBack > before) throw new Error('a request of UCX went over gRPC');
  const [ucx, grpc] = [figures.get('ucx')!, figures.get('grpc')!];
  const p50LowerBy = lowerBy(ucx.p50Us, grpc.p50Us);
  return { way, bytes, concurrency, ucx, grpc, p50LowerBy, p99LowerBy: lowerBy(ucx.p99Us, grpc.p99Us) };
}

/** UCX ends again and again while requests are under way; every one must be answered. */
async function switchUnderLoad(client: EngineClient, model: string) {
  const before = { ...counts };
  let [answered, lost, stop] = [0, 0, false];
  const call = callOf(client, model, 262_144);
  const loop = async (): Promise<void> => {
    while (!stop) {
      await call().then(
        () => (answered += 1),
        () => (lost += 1),
      );
    }
  };
  const loops = Array.from({ length: 8 }, loop);
  for (let i = 0; i < options.switches; i += 1) {
    const opened = counts.UcxOpened;
    process.send!({ order: 'break' } satisfies Order);
    const until = Date.now() + 10_000;
    while (counts.UcxOpened === opened && Date.now() < until) await pause(5);
    // So that requests are under way over UCX again.
    await pause(300);
  }
  stop = true;
  await Promise.all(loops);
  const since = (name: keyof typeof counts): number => counts[name] - before[name];
  return {
    switches: options.switches,
    requests: answered + lost,
    lost,
    overUcx: since('UcxSent'),
    lostInFlightAndSentAgain: since('inFlight'),
    overGrpc: since('UcxFellBack'),
  };
}

async function main(): Promise<void> {
  const transfer = { ucx: ucxTo(ports.transfer), grpc: grpcTo(ports.transfer) };
  const engine = { ucx: ucxTo(ports.engine), grpc: grpcTo(ports.engine) };
  const until = Date.now() + 10_000;
  while (counts.UcxOpened < 2 && Date.now() < until) await pause(5);
  if (counts.UcxOpened < 2) throw new Error(`no connection over UCX: ${unavailable}`);
  const cases: Case[] = [];
  for (const bytes of options.sizes) {
    for (const concurrency of options.concurrencies) {
      cases.push(await measureCase('transfer', 'transfer', transfer, bytes, concurrency));
      cases.push(await measureCase('engine', 'pass_through', engine, bytes, concurrency));
    }
  }
  const switching = options.switches === 0 ? null : await switchUnderLoad(engine.ucx, 'pass_through');
  const { version, transports } = host.facts;
  process.send!({ figures: { ucx: version, transports, cases, switching } });
  process.disconnect();
  process.exit(0);
}

void main();
