import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deviceFaultExitCode } from '#lib/engine-client/exit-codes';
import type { EngineClient, ModelState } from '#lib/engine-client/port';
import type { Logger } from '#lib/telemetry';
import { shownText } from '#schemas/shown-text';
import { afterOwnTime } from '../own-time';
import { EngineHealth, type EngineHealthOptions } from './engine-health';
import { EngineReports } from './engine-reports';
import { EngineProcess, type EngineEnd } from './engine-process';
import type { EngineLoss } from './incident';
import { WatchedClient } from './watched-client';

export interface WatchedEngineOptions extends Omit<EngineHealthOptions, 'onLost'> {
  readonly mainFile: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its own: made for it, and removed with it. */
  readonly folder: string;
  readonly nice: boolean;
  readonly readyTimeoutMs: number;
  readonly logger: Logger;
  /** Connects to the engine's socket (`unix:` address). */
  connect(address: string, onHangUp: (reason: string) => void): EngineClient;
  onReady(engine: WatchedEngine): void;
  /** Once, as soon as it is seen; `client` answers nothing any more. */
  onLost(engine: WatchedEngine, loss: EngineLoss): void;
  /** Once, after `onLost`, when the process is gone and its last words are read. */
  onGone(engine: WatchedEngine, loss: EngineLoss): void;
}

const probeMs = 250;
const exitIsSeenMs = 200;

function endedWith({ code, signal }: EngineEnd): string {
  return signal ?? (code === null ? 'it could not be started' : `exit code ${code}`);
}

/** One engine process from its start to its end, under watch. */
export class WatchedEngine {
  readonly health: EngineHealth;
  readonly process: EngineProcess;
  /** From its ready message on. */
  client: EngineClient | null = null;
  readonly address: string;
  models: readonly ModelState[] = [];
  /** performance.now() */
  readonly startedAt = performance.now();
  readyAt: number | null = null;
  private loss: EngineLoss | null = null;
  private end: EngineEnd | null = null;
  private stopping = false;
  private probe: NodeJS.Timeout | null = null;
  private reports: EngineReports | null = null;
  private readonly tooSlow: NodeJS.Timeout;

  constructor(private readonly options: WatchedEngineOptions) {
    this.makeFolder();
    const socket = join(options.folder, 'engine.sock');
    this.address = `unix:${socket}`;
    this.process = new EngineProcess({
      ...options,
      socket,
      onReady: () => this.ready(),
      onExit: (end) => void this.exited(end),
    });
    this.health = new EngineHealth(this.process.pid, { ...options, onLost: (loss) => this.lose(loss) });
    const { readyTimeoutMs } = options;
    const reason = `not ready in ${readyTimeoutMs} ms`;
    this.tooSlow = setTimeout(() => this.lose({ kind: 'start_failed', reason }), readyTimeoutMs);
  }

  get exit(): EngineEnd {
    return this.end ?? { code: null, signal: null };
  }
  get isLost(): boolean {
    return this.loss !== null || this.stopping;
  }

  private ready(): void {
    clearTimeout(this.tooSlow);
    if (this.isLost) return;
    this.readyAt = performance.now();
    const hungUp = (reason: string): void => this.lose({ kind: 'death', reason });
    this.client = new WatchedClient(this.options.connect(this.address, hungUp), this.health);
    this.probeLater(this.client);
    this.reports = new EngineReports(this.address, (models) => this.health.onReport(models));
    this.options.onReady(this);
  }

  /** An engine that is up but no longer live is as good as dead, also where nothing is asked of it. */
  private probeLater(client: EngineClient): void {
    this.probe = setTimeout(() => {
      const { silenceFloorMs: ms } = this.options;
      const reason = `no answer to a probe in ${ms} ms`;
      const late = afterOwnTime(ms, () => this.lose({ kind: 'silence', reason }));
      client.isLive().then(
        (live) => this.probed(client, late, live ? null : 'it says that it is not live'),
        (error: unknown) => this.probed(client, late, `an unreadable answer: ${String(error)}`),
      );
    }, probeMs);
  }

  private probed(client: EngineClient, late: { cancel(): void }, fault: string | null): void {
    late.cancel();
    if (this.isLost) return;
    if (fault === null) return this.probeLater(client);
    // One that has just ended can't be reached either: its exit is about to be seen.
    this.probe = setTimeout(() => this.lose({ kind: 'silence', reason: fault }), exitIsSeenMs);
  }

  /** Given up: whoever watches has time to react before its requests learn of it. */
  lose(loss: EngineLoss): void {
    if (this.isLost) return;
    this.loss = loss;
    this.rest();
    this.options.onLost(this, loss);
    this.process.kill();
    void this.client?.close();
    if (this.end !== null) void this.gone(loss);
  }

  private async exited(end: EngineEnd): Promise<void> {
    this.end = end;
    if (this.loss !== null) return this.gone(this.loss);
    if (this.stopping) return;
    const isBroken = end.code === deviceFaultExitCode;
    if (this.readyAt !== null) {
      return this.lose({ kind: isBroken ? 'device_fault' : 'death', reason: endedWith(end) });
    }
    // Before it was ready its words are the reason, and nobody is in a hurry.
    clearTimeout(this.tooSlow);
    await this.process.lastWords();
    this.lose({ kind: isBroken ? 'device_fault' : 'start_failed', reason: this.described(endedWith(end)) });
  }

  private async gone(loss: EngineLoss): Promise<void> {
    await this.process.lastWords();
    this.removeFolder();
    const { code } = this.exit;
    const kind = loss.kind === 'death' && code === deviceFaultExitCode ? 'device_fault' : loss.kind;
    this.options.onGone(this, { ...loss, kind });
  }

  /** The reason with the last line that it wrote. */
  described(reason: string): string {
    const words = shownText(this.process.words.last(), 300);
    return words === '' || reason.endsWith(words) ? reason : `${reason}: ${words}`;
  }

  private rest(): void {
    clearTimeout(this.tooSlow);
    if (this.probe !== null) clearTimeout(this.probe);
    this.reports?.close();
    this.health.close();
  }

  /** In order, without an incident. */
  async stop(): Promise<void> {
    if (this.loss !== null) return;
    this.stopping = true;
    this.rest();
    await this.client?.close();
    await this.process.stop();
    this.removeFolder();
  }

  /** An engine that finds none ends, and says why. */
  private makeFolder(): void {
    try {
      mkdirSync(this.options.folder, { mode: 0o700 });
    } catch (error) {
      this.options.logger.error({ event: 'EngineFolderFailed', error });
    }
  }

  /** Without a descriptor to look into it, it stays until the worker's end. */
  private removeFolder(): void {
    try {
      rmSync(this.options.folder, { recursive: true, force: true });
    } catch (error) {
      this.options.logger.warn({ event: 'EngineFolderFailed', error });
    }
  }
}
