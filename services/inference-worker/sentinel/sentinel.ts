import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { EngineClient, InferRequest } from '#lib/engine-client/port';
import type { Logger } from '#lib/telemetry';
import type { EngineLink } from '../engine-link';
import type { WorkerEvents } from '../events';
import { makeSocketFolder } from '../socket-folder';
import {
  afterLoss,
  afterTrial,
  closedCircuit,
  onTrial,
  pauseBeforeTrial,
  type Circuit,
  type CircuitPolicy,
} from './circuit';
import { configFault } from './config-fault';
import { CostEstimates } from './cost-estimates';
import { engineIncident, type Seen } from './engine-incident';
import type { EngineLoss, EngineRole, Reaction } from './incident';
import { IncidentReports } from './incident-reports';
import { ProvenModels } from './model-failures';
import { memoryOf } from './process-memory';
import { pauseBeforeRestart } from './restart-backoff';
import { Samples } from './samples';
import { Standby, warmUp } from './standby';
import { WatchedEngine } from './watched-engine';

export interface SentinelOptions {
  readonly mainFile: string;
  /** The whole environment of the engines; the socket is added. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readyTimeoutMs: number;
  readonly standby: boolean;
  readonly silenceFloorMs: number;
  /** 0: none. */
  readonly memoryLimitBytes: number;
  readonly incidentFolder: string;
  readonly circuit: CircuitPolicy;
  readonly logger: Logger;
  readonly events: WorkerEvents;
  readonly link: EngineLink;
  /** Connects to the engine's socket (`unix:` address). */
  connect(address: string, onHangUp: (reason: string) => void): EngineClient;
  /** Once: an engine could not be started for its configuration, and none was ever ready; nothing is tried again. */
  onConfigFault(reason: string): void;
}

/**
 * Keeps an engine up: starts it, watches it, replaces it by the standby or a new one, and opens the circuit
 * when engines keep ending. The link always names the active engine.
 */
export class Sentinel {
  private folder = makeSocketFolder();
  private readonly costs = new CostEstimates();
  private readonly reportedCosts = new CostEstimates();
  private readonly proven = new ProvenModels();
  private readonly samples = new Samples();
  private readonly reports: IncidentReports;
  private readonly standby: Standby;
  private readonly seen = new Map<WatchedEngine, Seen>();
  private circuit: Circuit = closedCircuit;
  private active: WatchedEngine | null = null;
  private starting: WatchedEngine | null = null;
  private activeSince = 0;
  /** The first engine is waited for from the start on. */
  private downSince: number | null = performance.now();
  private incarnation = 0;
  private timer: NodeJS.Timeout | null = null;
  private stopping = false;
  private wasEverReady = false;

  constructor(private readonly options: SentinelOptions) {
    const { link, events, readyTimeoutMs: operationTimeoutMs } = options;
    this.reports = new IncidentReports(options.incidentFolder);
    this.standby = new Standby({
      wanted: link.models,
      samples: this.samples,
      operationTimeoutMs,
      events,
      launch: () => this.launch(true),
      hasRoom: () => this.hasRoom(),
    });
  }

  start(): void {
    if (this.stopping) return;
    this.timer = null;
    this.starting = this.launch(false);
  }

  private launch(nice: boolean): WatchedEngine {
    const { costs, reportedCosts, proven } = this;
    return new WatchedEngine({
      ...this.options,
      costs,
      reportedCosts,
      proven,
      nice,
      folder: join(this.ownFolder(), String(++this.incarnation)),
      onAnswered: (request) => this.answered(request),
      onReady: (engine) => this.ready(engine),
      onLost: (engine, loss) => this.lost(engine, loss),
      onGone: (engine, loss) => this.gone(engine, loss),
    });
  }

  /** A cleaner of temporary files may have removed it; what has its name then may be somebody else's. */
  private ownFolder(): string {
    const found = statSync(this.folder, { throwIfNoEntry: false });
    if (found?.uid !== process.getuid!()) this.folder = makeSocketFolder();
    return this.folder;
  }

  /** A standby needs about what the active engine has; while there is none, that one comes first. */
  private hasRoom(): boolean {
    if (this.active === null) return false;
    return process.availableMemory() > 2 * (memoryOf(this.active.process.pid)?.residentBytes ?? 0);
  }

  private answered(request: InferRequest): void {
    if (this.samples.keep(request)) this.standby.onSample(request);
  }

  private ready(engine: WatchedEngine): void {
    this.wasEverReady = true;
    this.options.events.EngineStarted({
      enginePid: engine.process.pid,
      device: engine.process.deviceKind,
      startSeconds: (performance.now() - engine.startedAt) / 1_000,
    });
    if (this.standby.holds(engine)) return this.standby.onReady(engine);
    const { link, events, readyTimeoutMs: operationTimeoutMs } = this.options;
    // Without dry runs: the shards that wait are the first ones.
    const work = { wanted: link.models, samples: [], operationTimeoutMs, events };
    void warmUp(engine, work).then(() => this.prepared(engine));
  }

  private prepared(engine: WatchedEngine): void {
    if (engine !== this.starting || engine.isLost || this.stopping) return;
    if (this.circuit.state !== 'on_trial') return this.activate(engine);
    this.timer = setTimeout(() => {
      this.circuit = afterTrial(this.circuit, performance.now());
      this.options.events.CircuitChanged({ state: 'closed', reason: '', strikes: 0, trialInMs: 0 });
      this.activate(engine);
    }, this.options.circuit.staysUpMs);
  }

  private activate(engine: WatchedEngine): void {
    const now = performance.now();
    this.starting = null;
    this.active = engine;
    this.activeSince = now;
    engine.process.hurry();
    const { deviceKind, unconfined } = engine.process;
    this.options.link.up(engine.client!, engine.address, deviceKind, unconfined);
    const downSeconds = this.downSince === null ? 0 : (now - this.downSince) / 1_000;
    this.downSince = null;
    this.options.events.EngineActivated({
      enginePid: engine.process.pid,
      device: engine.process.deviceKind,
      downSeconds,
    });
    if (this.options.standby) this.standby.startLater();
  }

  private lost(engine: WatchedEngine, loss: EngineLoss): void {
    if (this.stopping) return;
    const fault = this.wasEverReady ? null : configFault(engine.exit, engine.process.words.text());
    if (fault !== null) return this.neverUp(fault);
    const requests = engine.health.requests();
    const role = this.roleOf(engine);
    const reaction = role === 'standby' ? this.standbyLost() : this.engineLost(engine, loss);
    const { circuit } = this;
    this.seen.set(engine, { role, reaction, circuit, requests, lostAt: performance.now(), at: new Date() });
  }

  /** A setting can't be waited for; once an engine was ready it may be a folder that somebody changes. */
  private neverUp(fault: string): void {
    this.stopping = true;
    this.options.onConfigFault(fault);
  }

  private roleOf(engine: WatchedEngine): EngineRole {
    if (this.standby.holds(engine)) return 'standby';
    if (engine === this.active) return 'active';
    return this.circuit.state === 'on_trial' ? 'trial' : 'starting';
  }

  private standbyLost(): Reaction {
    this.standby.onLost();
    return 'standby_restart';
  }

  private engineLost(engine: WatchedEngine, loss: EngineLoss): Reaction {
    const now = performance.now();
    if (this.timer !== null) clearTimeout(this.timer);
    this.downSince ??= now;
    const upMs = engine === this.active ? now - this.activeSince : 0;
    this.active = null;
    this.starting = null;
    this.circuit = afterLoss(this.circuit, upMs, now, this.options.circuit);
    if (this.circuit.state === 'open') return this.openCircuit(loss);
    const next = this.standby.isWarm ? this.standby.take() : null;
    if (next !== null) {
      this.activate(next.engine);
      this.tellLost(loss, 0);
      return 'standby_took_over';
    }
    this.options.link.down(`the engine ended (${loss.reason})`);
    return this.replace(loss);
  }

  /** A standby that is not warm yet is still further than an engine that is not there yet. */
  private replace(loss: EngineLoss): Reaction {
    const next = this.standby.take();
    if (next !== null) {
      this.starting = next.engine;
      next.engine.process.hurry();
      this.tellLost(loss, 0);
      void next.settled.then(() => next.engine.client !== null && this.prepared(next.engine));
      return 'standby_took_over';
    }
    const pauseMs = pauseBeforeRestart(this.circuit.strikes);
    this.tellLost(loss, pauseMs);
    this.timer = setTimeout(() => this.start(), pauseMs);
    return 'restart';
  }

  private tellLost({ kind, reason }: EngineLoss, restartInMs: number): void {
    this.options.events.EngineLost({ kind, reason, restartInMs });
  }

  private openCircuit(loss: EngineLoss): Reaction {
    const { link, events, circuit: policy } = this.options;
    const { strikes } = this.circuit;
    const pauseMs = pauseBeforeTrial(this.circuit, policy);
    this.tellLost(loss, pauseMs);
    const reason = `${strikes} engines in a row ended soon, the next is tried in ${pauseMs} ms: the engine ended (${loss.reason})`;
    link.handOver(reason);
    events.CircuitChanged({ state: 'open', reason, strikes, trialInMs: pauseMs });
    void this.standby.rest();
    this.timer = setTimeout(() => {
      this.circuit = onTrial(this.circuit);
      this.start();
    }, pauseMs);
    return 'circuit_opened';
  }

  private gone(engine: WatchedEngine, loss: EngineLoss): void {
    const seen = this.seen.get(engine);
    this.seen.delete(engine);
    if (seen === undefined) return;
    const incident = engineIncident(engine, loss, seen, this.options.memoryLimitBytes);
    const { kind, role, reaction, reason } = incident;
    const end = incident.engine.signal ?? `exit code ${incident.engine.exitCode}`;
    const reported = (file: string, fault: string): void =>
      this.options.events.IncidentReported({ kind, role, reaction, reason, end, file, fault });
    try {
      reported(this.reports.write(incident), '');
    } catch (error) {
      reported('', String(error));
    }
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.options.link.close();
    if (this.timer !== null) clearTimeout(this.timer);
    await Promise.all([this.standby.stop(), this.active?.stop(), this.starting?.stop()]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
