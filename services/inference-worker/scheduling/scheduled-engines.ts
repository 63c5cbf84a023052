import type { EngineClient, InferResponse } from '#lib/engine-client/port';
import type { CostModel, PredictionError } from '#policy/scheduling/cost-model';
import type { Decision, Scheduler, SchedulerFigures } from '#policy/scheduling/scheduler';
import type { UnixMs } from '#schemas/brands';
import {
  HandedOver,
  isLostWithEngine,
  LateHere,
  NoEngineInTime,
  UnfitHere,
  type ExpectedWork,
  type LoadReport,
  type LocalEngines,
  type MemoryOf,
  type PlacedAnswer,
  type PlacedWork,
} from '../placement/placement';
import { answerTimes } from './answer-times';
import { Barred } from './barred';
import { BatchTimes } from './batch-times';
import { BoundedNames } from './bounded-names';
import type { EngineDevice } from './engine-device';
import type { TurnLag } from './turn-lag';
import { WakeUp } from './wake-up';

export interface ScheduledEnginesParts {
  readonly devices: readonly EngineDevice[];
  readonly scheduler: Scheduler;
  readonly costs: CostModel;
  readonly poolBytesOf: MemoryOf;
  readonly arenaBytesOf: MemoryOf;
  /** Learns how late wake-ups are. */
  readonly lag?: TurnLag;
  /** Of everything that was computed. */
  onAnswered?(work: PlacedWork, answer: PlacedAnswer): void;
}

interface Entry {
  readonly id: string;
  readonly work: PlacedWork;
  readonly until: UnixMs;
  readonly signal: AbortSignal | undefined;
  resolve(answer: PlacedAnswer): void;
  reject(error: unknown): void;
}

/**
 * The executor of a scheduler over this worker's engines: tells it what comes, ends and is lost, and sends what it
 * starts to the device that it names. Times are those of `performance.now()`.
 */
export class ScheduledEngines implements LocalEngines {
  private readonly waiting = new Map<string, Entry>();
  private readonly wakeUp: WakeUp;
  private readonly devices: ReadonlyMap<string, EngineDevice>;
  private readonly learned: BatchTimes;
  private readonly barred: Barred<Entry>;
  /** Of those that wait: lost with an engine before. */
  private readonly lostBefore = new Set<Entry>();
  private readonly names = new BoundedNames();
  private lastId = 0;
  private isClosed = false;

  constructor(private readonly parts: ScheduledEnginesParts) {
    this.learned = new BatchTimes(parts.costs);
    this.wakeUp = new WakeUp(() => this.decide(), parts.lag);
    this.devices = new Map(parts.devices.map((device) => [device.id, device]));
    this.barred = new Barred(parts.devices, ({ reject }) => reject(this.late()));
    for (const device of parts.devices) {
      device.link.onChange(() => this.changed(device));
      if (device.link.current() !== null) this.changed(device);
    }
  }

  infer(work: PlacedWork, until: UnixMs, signal?: AbortSignal): Promise<PlacedAnswer> {
    if (this.whyHandedOver() !== null) return Promise.reject(new HandedOver());
    if (this.isClosed) return Promise.reject(new NoEngineInTime(this.whyDown() ?? 'the worker is stopping'));
    return new Promise((resolve, reject) => {
      const id = String(++this.lastId);
      const entry: Entry = { id, work, until, signal, resolve, reject };
      signal?.addEventListener('abort', () => this.giveUp(entry), { once: true });
      if (signal?.aborted === true) return reject(givenUp(signal));
      if (this.barred.isBarred(work.failedOn)) return this.barred.keep(entry);
      this.arrive(entry);
    });
  }

  expectedFinishMs({ request, size, failedOn }: ExpectedWork): number | null {
    if (failedOn !== undefined && this.barred.isBarred(failedOn)) return null;
    return (
      this.parts.scheduler.expect(this.names.nameOf(request.model), size, performance.now())?.finishMs ?? null
    );
  }

  whyDown(): string | null {
    const reasons = this.parts.devices.map(({ link }) => link.whyDown());
    return reasons.includes(null) ? null : (reasons[0] ?? 'there is no engine');
  }

  whyHandedOver(): string | null {
    const reasons = this.parts.devices.map(({ link }) => link.whyHandedOver());
    return reasons.includes(null) ? null : (reasons[0] ?? null);
  }

  load(): LoadReport {
    const { scheduler, devices } = this.parts;
    const figures = scheduler.figures();
    const waiting = figures.waiting + this.barred.size;
    const expectedWaitMs = scheduler.expect('other', 1, performance.now())?.waitMs ?? 0;
    const reports = devices.map(({ id, link }) => {
      const ready = link.current() !== null;
      return { id, kind: ready ? link.deviceKind : '', ready };
    });
    const { inFlight } = figures;
    return { waiting, inFlight, expectedWaitMs, devices: reports, at: Date.now() as UnixMs };
  }

  figures(): SchedulerFigures {
    return this.parts.scheduler.figures();
  }

  errors(): readonly PredictionError[] {
    return this.parts.costs.errors();
  }

  private arrive(entry: Entry): void {
    const { id, work, until } = entry;
    this.waiting.set(id, entry);
    if (work.failedOn.size > 0) this.lostBefore.add(entry);
    const { scheduler, poolBytesOf, arenaBytesOf } = this.parts;
    const nowMs = performance.now();
    this.learned.look(nowMs);
    const deadlineMs = nowMs + (until - Date.now());
    const { size, request, failedOn: notOn } = work;
    const memory = { poolBytes: poolBytesOf(work), arenaBytes: arenaBytesOf(work) };
    const model = this.names.nameOf(request.model);
    scheduler.arrive({ id, model, size, deadlineMs, ...memory, notOn }, nowMs);
    this.decide();
  }

  private decide(): void {
    const { scheduler } = this.parts;
    for (;;) {
      const nowMs = performance.now();
      const decision = scheduler.decide(nowMs);
      if (decision.kind === 'wait') return this.wakeUp.at(decision.untilMs, nowMs);
      this.carryOut(decision);
    }
  }

  private carryOut(decision: Exclude<Decision, { kind: 'wait' }>): void {
    const { id } = decision.shard;
    const entry = this.waiting.get(id)!;
    this.forget(entry);
    if (decision.kind === 'start') return void this.run(entry, this.devices.get(decision.deviceId)!);
    entry.reject(
      decision.kind === 'late' ? this.late() : new UnfitHere('it needs more memory than there is'),
    );
  }

  private late(): Error {
    const why = this.whyDown();
    return why === null ? new LateHere() : new NoEngineInTime(why);
  }

  private async run(entry: Entry, device: EngineDevice): Promise<void> {
    const { work, until, signal } = entry;
    const { link, engine } = device;
    const { deviceKind } = link;
    const client = link.current() as EngineClient;
    const isAlone = device.enter(work.request.model);
    const startedMs = performance.now();
    try {
      const response = await client.infer(work.request, until, signal);
      this.learn(work, response, device, isAlone ? performance.now() - startedMs : null);
      const answer = { response, deviceKind, engine };
      entry.resolve(answer);
      this.parts.onAnswered?.(work, answer);
    } catch (error) {
      if (isLostWithEngine(error)) work.failedOn.add(engine);
      entry.reject(error);
    }
    device.leave();
    this.parts.scheduler.leave(entry.id);
    this.decide();
  }

  /** `callMs`: null where it may have waited for others, so that the time of the call says nothing. */
  private learn(
    { request, size }: PlacedWork,
    response: InferResponse,
    device: EngineDevice,
    callMs: number | null,
  ): void {
    const times = answerTimes(request.model, response, callMs);
    const model = this.names.nameOf(request.model);
    if (times.length === 0) return;
    const isOnOneThread = device.link.deviceKind === 'cpu';
    this.learned.add({ device: device.spec(), model, size, times, isOnOneThread }, performance.now());
  }

  private giveUp(entry: Entry): void {
    const { id, signal, reject } = entry;
    if (this.barred.remove(entry)) return reject(givenUp(signal!));
    if (!this.forget(entry)) return;
    this.parts.scheduler.leave(id);
    reject(givenUp(signal!));
    this.decide();
  }

  /** It waits no more; false where it didn't. */
  private forget(entry: Entry): boolean {
    this.lostBefore.delete(entry);
    return this.waiting.delete(entry.id);
  }

  /** Other engines are up than before: who may be had by none of them is kept back, and who may is not any more. */
  private bar(): void {
    for (const entry of this.lostBefore) {
      if (!this.barred.isBarred(entry.work.failedOn)) continue;
      this.forget(entry);
      this.parts.scheduler.leave(entry.id);
      this.barred.keep(entry);
    }
    for (const entry of this.barred.takeFree()) this.arrive(entry);
  }

  /** Another engine has the device, or none. What the last one had fails by its own client. */
  private changed(device: EngineDevice): void {
    const { scheduler } = this.parts;
    for (const { id } of scheduler.deviceLost(device.id)) scheduler.leave(id);
    if (device.link.current() !== null) scheduler.deviceUp(device.spec());
    this.bar();
    if (device.link.isClosed) this.isClosed = this.parts.devices.every(({ link }) => link.isClosed);
    if (this.isClosed) this.rejectAll(() => new NoEngineInTime(this.whyDown() ?? 'the worker is stopping'));
    if (this.whyHandedOver() !== null) this.rejectAll(() => new HandedOver());
    this.decide();
  }

  private rejectAll(why: () => Error): void {
    for (const { id, reject } of this.waiting.values()) {
      this.parts.scheduler.leave(id);
      reject(why());
    }
    this.waiting.clear();
    this.lostBefore.clear();
    for (const entry of this.barred.takeAll()) entry.reject(why());
  }
}

function givenUp(signal: AbortSignal): unknown {
  return signal.reason;
}
