import { demandOf } from '../device-load';
import { lastDevicePhase, phases, resourceOfPhase } from '../phases';
import type { Decision, Scheduler } from '../scheduler';
import type { SimulatedShard } from './arrivals';
import { MemoryInUse } from './memory-in-use';
import { profileOf, type DeviceLoss, type Scenario } from './scenario';
import { SimulatedResources, type PhaseResource } from './simulated-resources';
import { trueTimes, type SimulatedDevice } from './truth';

/** `missed`: started, and ended at its deadline without an outcome. */
export type OutcomeKind = 'solved' | 'late' | 'unfit' | 'missed';

export interface SimulatedOutcome {
  readonly shard: SimulatedShard;
  readonly kind: OutcomeKind;
  readonly endMs: number;
  readonly deviceId: string | null;
}

export interface SimulatedStart {
  readonly shard: SimulatedShard;
  readonly atMs: number;
  readonly deviceId: string;
}

export interface SimulationResult {
  readonly outcomes: readonly SimulatedOutcome[];
  readonly starts: readonly SimulatedStart[];
  /** Milliseconds in which anything was there to do. */
  readonly busyMs: number;
  readonly resources: SimulatedResources;
  readonly memory: MemoryInUse;
  readonly peakInFlight: number;
  readonly decisions: number;
}

interface Job {
  readonly shard: SimulatedShard;
  readonly device: SimulatedDevice;
  readonly times: Float64Array;
  readonly rank: number;
  phase: number;
  sinceMs: number;
  /** Of the phases that have ended. */
  readonly tookMs: number[];
}

/** Runs a scheduler against a scenario, event by event, until every shard has its outcome. */
export function simulate(scenario: Scenario, scheduler: Scheduler): SimulationResult {
  return new Simulation(scenario, scheduler).run();
}

class Simulation {
  private readonly resources: SimulatedResources;
  private readonly memory = new MemoryInUse();
  private readonly jobs = new Map<string, Job>();
  private readonly shards = new Map<string, SimulatedShard>();
  private readonly outcomes: SimulatedOutcome[] = [];
  private readonly starts: SimulatedStart[] = [];
  private readonly changes: { readonly atMs: number; readonly apply: () => void }[];
  private nowMs = 0;
  private wakeMs = Infinity;
  private busyMs = 0;
  private peakInFlight = 0;
  private decisions = 0;
  private arrived = 0;

  constructor(
    private readonly scenario: Scenario,
    private readonly scheduler: Scheduler,
  ) {
    this.resources = new SimulatedResources(scenario);
    const changes = scenario.losses.flatMap((loss) => this.changesOf(loss));
    this.changes = changes.sort((a, b) => a.atMs - b.atMs);
  }

  run(): SimulationResult {
    for (const device of this.scenario.devices) this.scheduler.deviceUp(device);
    while (this.outcomes.length < this.scenario.shards.length) {
      this.step();
      this.decide();
      this.resources.interfere(this.nowMs);
    }
    const { outcomes, starts, busyMs, resources, memory, peakInFlight, decisions } = this;
    return { outcomes, starts, busyMs, resources, memory, peakInFlight, decisions };
  }

  private step(): void {
    const arrival = this.scenario.shards[this.arrived];
    const [change] = this.changes;
    const done = this.resources.next();
    const times = [arrival?.arrivesMs, change?.atMs, done?.atMs, this.wakeMs].map((ms) => ms ?? Infinity);
    const atMs = Math.min(...times);
    if (atMs === Infinity) throw new Error('the scheduler waits for ever');
    this.passTo(atMs);
    if (change?.atMs === atMs) return this.changes.shift()!.apply();
    if (arrival?.arrivesMs === atMs) return this.arrive(arrival);
    if (done?.atMs === atMs) this.phaseDone(this.jobs.get(done.id)!);
  }

  private passTo(atMs: number): void {
    const passed = atMs - this.nowMs;
    if (this.arrived > this.outcomes.length) this.busyMs += passed;
    this.resources.pass(passed);
    this.nowMs = atMs;
  }

  private arrive(shard: SimulatedShard): void {
    this.arrived += 1;
    this.shards.set(shard.id, shard);
    this.scheduler.arrive(shard, this.nowMs);
  }

  private decide(): void {
    for (;;) {
      const decision = this.scheduler.decide(this.nowMs);
      this.decisions += 1;
      if (decision.kind === 'wait') return void (this.wakeMs = decision.untilMs);
      if (decision.kind === 'start') this.start(decision);
      else this.end(this.shards.get(decision.shard.id)!, decision.kind, null);
    }
  }

  private start({ shard: { id }, deviceId }: Decision & { kind: 'start' }): void {
    const shard = this.shards.get(id)!;
    const device = this.scenario.devices.find((one) => one.id === deviceId)!;
    const { noise } = this.scenario;
    const times = trueTimes(profileOf(this.scenario, shard.model), shard.size, device, noise, shard.seed);
    const job: Job = { shard, device, times, rank: this.starts.length, phase: 0, sinceMs: 0, tookMs: [] };
    this.starts.push({ shard, atMs: this.nowMs, deviceId });
    this.jobs.set(id, job);
    this.peakInFlight = Math.max(this.peakInFlight, this.jobs.size);
    this.memory.add('pool', shard.poolBytes);
    this.memory.add(deviceId, shard.arenaBytes);
    this.askFor(job);
  }

  private askFor(job: Job): void {
    const { tokens } = this.resourceOf(job);
    if (!this.scheduler.takesTurns) return this.begin(job);
    this.beginAll(tokens.ask(job.shard.id, this.demandOf(job), job.rank));
  }

  private beginAll(granted: readonly string[]): void {
    for (const id of granted) this.begin(this.jobs.get(id)!);
  }

  /** An engine ends at its deadline what it has. */
  private begin(job: Job): void {
    const { shard, phase } = job;
    if (shard.deadlineMs <= this.nowMs) return this.drop(job, 'missed');
    job.sinceMs = this.nowMs;
    if (job.device.isUntold !== true) this.scheduler.phaseStarted(shard.id, phases[phase]!, this.nowMs);
    this.resourceOf(job).shared.add(shard.id, job.times[phase]!, this.demandOf(job), this.nowMs);
  }

  private phaseDone(job: Job): void {
    const { shard, phase, sinceMs } = job;
    const { shared, tokens } = this.resourceOf(job);
    shared.remove(shard.id, this.nowMs);
    job.tookMs[phase] = this.nowMs - sinceMs;
    this.tell(job);
    if (phase === lastDevicePhase) this.memory.add(job.device.id, -shard.arenaBytes);
    job.phase += 1;
    if (job.phase === phases.length) this.drop(job, shard.deadlineMs < this.nowMs ? 'missed' : 'solved');
    else this.askFor(job);
    this.beginAll(tokens.giveBack(shard.id));
  }

  /** Each phase at its end, or all of them with the answer. */
  private tell({ shard, device, phase, tookMs }: Job): void {
    if (device.isUntold === true && phase < phases.length - 1) return;
    const from = device.isUntold === true ? 0 : phase;
    for (let at = from; at <= phase; at += 1) this.scheduler.phaseEnded(shard.id, phases[at]!, tookMs[at]!);
  }

  /** Frees what it has; with an outcome it has left. */
  private drop(job: Job, kind: OutcomeKind | null): void {
    const { shard, device } = job;
    this.jobs.delete(shard.id);
    this.memory.add('pool', -shard.poolBytes);
    if (job.phase <= lastDevicePhase) this.memory.add(device.id, -shard.arenaBytes);
    if (kind !== null) {
      this.scheduler.leave(shard.id);
      this.end(shard, kind, device.id);
    }
    if (job.phase === phases.length) return;
    const { shared, tokens } = this.resourceOf(job);
    shared.remove(shard.id, this.nowMs);
    this.beginAll(tokens.giveBack(shard.id));
  }

  private end(shard: SimulatedShard, kind: OutcomeKind, deviceId: string | null): void {
    this.outcomes.push({ shard, kind, endMs: this.nowMs, deviceId });
  }

  private changesOf({ deviceId, atMs, backMs }: DeviceLoss) {
    const device = this.scenario.devices.find(({ id }) => id === deviceId)!;
    const lose = () => {
      this.scheduler.deviceLost(deviceId);
      const lost = [...this.jobs.values()].filter((job) => job.device.id === deviceId);
      for (const job of lost) if (this.jobs.has(job.shard.id)) this.drop(job, null);
    };
    const lost = { atMs, apply: lose };
    return backMs === Infinity
      ? [lost]
      : [lost, { atMs: backMs, apply: () => this.scheduler.deviceUp(device) }];
  }

  private resourceOf({ device, phase }: Job): PhaseResource {
    return this.resources.of(device.id, resourceOfPhase[phase]!);
  }

  private demandOf({ shard, device, phase }: Job): number {
    return demandOf(phase, shard, device);
  }
}
