import { mixedRandom } from '../../scheduling/simulation/mixed-random';
import { nextLookMs, type AttemptEnd } from '../remote';
import { EngineQueue, type Job } from './engine-queue';
import { EventQueue } from './event-queue';
import type { LocalAttempt, OpenAttempt, Placed } from './placed-shard';
import type { Scenario, SimulatedShard } from './scenario';
import type { MakeRouter, SimulatedRoute, SimulatedRouter } from './simulated-router';
import type { SimulatedOutcome, SimulationResult } from './simulation-result';

const probeEveryMs = 50;
const silentProbeMs = 250;
const againMs = 20;
const failsAfterMs = 1;
const nothingKnown: AttemptEnd = { kind: 'failed', load: null };

/** Runs every worker's router against a scenario, event by event, until every shard has its outcome. */
export function simulate(scenario: Scenario, makeRouter: MakeRouter): SimulationResult {
  return new Simulation(scenario, makeRouter).run();
}

class Simulation {
  private readonly events = new EventQueue();
  private readonly engines: EngineQueue[];
  private readonly byName: Map<string, EngineQueue>;
  private readonly routers: SimulatedRouter[];
  private readonly openOf = new Map<Job, OpenAttempt | LocalAttempt>();
  private readonly outcomes: SimulatedOutcome[] = [];
  private readonly firstSeenMs = new Map<string, number>();
  private jobs = 0;
  private decisions = 0;

  constructor(
    private readonly scenario: Scenario,
    makeRouter: MakeRouter,
  ) {
    const { engines, faults, reportEveryMs, workers, hidden, seed } = scenario;
    this.engines = engines.map((engine, index) => {
      return new EngineQueue(
        engine,
        faults.filter((fault) => fault.engine === index),
        reportEveryMs,
      );
    });
    this.byName = new Map(this.engines.map((queue) => [queue.engine.name, queue]));
    const known = engines.map(({ name }) => name).filter((_, index) => !hidden.has(index));
    this.routers = Array.from({ length: workers }, (_, worker) => {
      const random = mixedRandom(seed * 7_919 + worker);
      const own = engines[worker]!.name;
      return makeRouter(
        known.filter((name) => name !== own),
        () => random.unit(),
      );
    });
  }

  run(): SimulationResult {
    const { shards, faults } = this.scenario;
    for (const shard of shards) this.events.at(shard.arrivesMs, () => this.arrive(shard));
    for (const { kind, engine, fromMs } of faults)
      if (kind === 'dead') this.events.at(fromMs, () => this.crash(this.engines[engine]!));
    this.probe();
    this.events.runUntil(() => this.outcomes.length === shards.length);
    const { outcomes, routers, engines, decisions, firstSeenMs } = this;
    return { outcomes, routers, engines, decisions, firstSeenMs };
  }

  private get nowMs(): number {
    return this.events.nowMs;
  }

  private wayMs(bytes: number): number {
    const { oneWayMs, bytesPerMs } = this.scenario.network;
    return oneWayMs + bytes / bytesPerMs;
  }

  private arrive(shard: SimulatedShard): void {
    const placed: Placed = {
      shard,
      failedOn: new Set(),
      slow: new Set(),
      attempts: 0,
      isOver: false,
      open: null,
      job: null,
    };
    this.events.at(shard.deadlineMs, () => this.expire(placed));
    this.place(placed);
  }

  private localMs({ worker, serviceMs }: SimulatedShard): number | null {
    const queue = this.engines[worker]!;
    const kind = queue.faultAt(this.nowMs)?.kind;
    if (kind === 'dead' || kind === 'hung') return null;
    return queue.waitMs(this.nowMs) + serviceMs / queue.engine.speed;
  }

  private routeOf({ shard, failedOn, slow }: Placed): SimulatedRoute | null {
    const router = this.routers[shard.worker]!;
    this.decisions += 1;
    const route = (not: ReadonlySet<string>) => router.route(shard, this.localMs(shard), this.nowMs, not);
    if (slow.size === 0) return route(failedOn);
    return route(new Set([...failedOn, ...slow])) ?? route(failedOn);
  }

  private place(placed: Placed): void {
    if (placed.isOver) return;
    const { bytes, worker } = placed.shard;
    const router = this.routers[worker]!;
    const route = this.routeOf(placed);
    if (route === null) return this.events.after(againMs, () => this.place(placed));
    placed.attempts += 1;
    if (route.remote === null) return this.runHere(placed, route.attempt);
    const engine = this.byName.get(route.remote)!;
    const { attempt, overdueMs } = route;
    const open = { placed, router, attempt, engine, sentMs: this.nowMs, overdueMs, job: null };
    placed.open = open;
    this.events.after(this.wayMs(bytes / 2), () => this.comeIn(open));
    this.lookAt(open);
  }

  private runHere(placed: Placed, attempt: unknown): void {
    const queue = this.engines[placed.shard.worker]!;
    const job = this.enqueue(queue, placed.shard);
    placed.job = job;
    this.openOf.set(job, { placed, attempt });
    this.startNext(queue);
  }

  /** Of its own engine, whatever became of it. */
  private leaveHere(placed: Placed, attempt: unknown): void {
    placed.job = null;
    this.routers[placed.shard.worker]!.ended(attempt, { kind: 'withdrawn' }, this.nowMs);
  }

  private enqueue(queue: EngineQueue, { id, serviceMs, deadlineMs }: SimulatedShard): Job {
    const random = mixedRandom(this.scenario.seed * 31 + id);
    const noise = Math.exp(this.scenario.spread * (random.unit() + random.unit() + random.unit() - 1.5) * 2);
    const job = {
      id: this.jobs++,
      serviceMs: (serviceMs / queue.engine.speed) * noise,
      cameMs: this.nowMs,
      deadlineMs,
      startedMs: Infinity,
      endsMs: Infinity,
      isGone: false,
    };
    queue.push(job);
    return job;
  }

  private startNext(queue: EngineQueue): void {
    for (const job of queue.startNext(this.nowMs)) this.events.at(job.endsMs, () => this.done(queue, job));
  }

  private comeIn(open: OpenAttempt): void {
    if (open.placed.open !== open) return;
    const { engine } = open;
    this.see(open);
    const kind = engine.faultAt(this.nowMs)?.kind;
    if (kind === 'dead') return this.events.after(this.wayMs(0), () => this.fail(open));
    if (kind === 'failing') return this.events.after(failsAfterMs + this.wayMs(0), () => this.fail(open));
    const { shard } = open.placed;
    this.openOf.set((open.job = this.enqueue(engine, shard)), open);
    this.startNext(engine);
  }

  private see({ engine, placed, sentMs }: OpenAttempt): void {
    const fault = engine.faultAt(this.nowMs);
    if (fault === undefined) return;
    const key = `${engine.engine.name} ${placed.shard.worker}`;
    if (!this.firstSeenMs.has(key)) this.firstSeenMs.set(key, Math.max(sentMs, fault.fromMs));
  }

  private done(queue: EngineQueue, job: Job): void {
    if (job.isGone) return;
    queue.leave(job, this.nowMs);
    const owner = this.openOf.get(job)!;
    this.openOf.delete(job);
    this.startNext(queue);
    if ('engine' in owner) return this.answer(queue, job, owner);
    this.leaveHere(owner.placed, owner.attempt);
    this.over(owner.placed, true, null);
  }

  private answer(queue: EngineQueue, job: Job, open: OpenAttempt): void {
    const ranMs = this.nowMs - job.startedMs;
    const thereMs = this.nowMs - job.cameMs;
    const load = queue.load(this.nowMs);
    this.events.after(this.wayMs(open.placed.shard.bytes / 2), () => {
      if (!this.close(open, { kind: 'good', ranMs, thereMs, load })) return;
      this.over(open.placed, true, queue.engine.name);
    });
  }

  /** false: it had been given up before. */
  private close(open: OpenAttempt, end: AttemptEnd): boolean {
    const { placed, router, attempt } = open;
    if (placed.open !== open) return false;
    placed.open = null;
    router.ended(attempt, end, this.nowMs);
    return true;
  }

  private fail(open: OpenAttempt): void {
    const { placed, router, engine } = open;
    if (!this.close(open, nothingKnown)) return;
    placed.failedOn.add(engine.engine.name);
    if (router.mayRetry(placed.attempts, this.nowMs)) this.place(placed);
    else this.over(placed, false, null);
  }

  private lookAt(open: OpenAttempt): void {
    if (open.overdueMs === Infinity) return;
    this.events.after(nextLookMs(open, this.nowMs), () => this.mayGiveUp(open));
  }

  private mayGiveUp(open: OpenAttempt): void {
    const { placed, router, attempt, engine } = open;
    if (placed.open !== open) return;
    if (this.nowMs - open.sentMs >= open.overdueMs) this.see(open);
    if (!router.mayGiveUp(attempt, this.localMs(placed.shard), this.nowMs, placed.failedOn))
      return this.lookAt(open);
    this.takeBack(open);
    this.close(open, { kind: 'overdue', load: null });
    placed.slow.add(engine.engine.name);
    this.place(placed);
  }

  private takeBack({ engine, job }: OpenAttempt): void {
    if (job === null) return;
    engine.leave(job, this.nowMs);
    this.openOf.delete(job);
    this.startNext(engine);
  }

  private expire(placed: Placed): void {
    const { open, job, shard } = placed;
    if (placed.isOver) return;
    if (job !== null) this.dropHere(this.engines[shard.worker]!, job);
    if (open !== null) {
      this.see(open);
      this.takeBack(open);
      const isOverdue = this.nowMs - open.sentMs > open.overdueMs;
      this.close(open, isOverdue ? { kind: 'overdue', load: null } : { kind: 'withdrawn' });
    }
    this.over(placed, false, null);
  }

  private dropHere(queue: EngineQueue, job: Job): void {
    const { placed, attempt } = this.openOf.get(job) as LocalAttempt;
    this.openOf.delete(job);
    queue.leave(job, this.nowMs);
    this.leaveHere(placed, attempt);
    this.startNext(queue);
  }

  private crash(queue: EngineQueue): void {
    for (const job of queue.crash(this.nowMs)) {
      const owner = this.openOf.get(job)!;
      this.openOf.delete(job);
      if ('engine' in owner) {
        this.see(owner);
        this.events.after(this.wayMs(0), () => this.fail(owner));
      } else {
        this.leaveHere(owner.placed, owner.attempt);
        this.place(owner.placed);
      }
    }
  }

  private over(placed: Placed, solved: boolean, remote: string | null): void {
    if (placed.isOver) return;
    placed.isOver = true;
    const { shard, attempts } = placed;
    this.outcomes.push({
      shard,
      solved: solved && this.nowMs <= shard.deadlineMs,
      endMs: this.nowMs,
      attempts,
      remote,
    });
  }

  private probe(): void {
    for (const router of this.routers) {
      for (const name of router.probesDue(this.nowMs)) {
        const kind = this.byName.get(name)!.faultAt(this.nowMs)?.kind;
        const isGood = kind !== 'dead' && kind !== 'hung';
        const ms = kind === 'hung' ? silentProbeMs : 2 * this.wayMs(0);
        this.events.after(ms, () => router.probed(name, isGood, this.nowMs));
      }
    }
    this.events.after(probeEveryMs, () => this.probe());
  }
}
