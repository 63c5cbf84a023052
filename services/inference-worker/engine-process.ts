import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { endsWithParent } from '#lib/ends-with-parent';
import type { EngineClient } from '#lib/engine-client/port';
import type { Logger } from '#lib/telemetry';
import { shownText } from '#schemas/shown-text';
import type { EngineLink } from './engine-link';
import type { WorkerEvents } from './events';
import { afterOwnTime } from './own-time';
import { makeSocketFolder } from './socket-folder';

export interface EngineProcessOptions {
  readonly mainFile: string;
  /** The whole environment of the child; the socket is added. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly readyTimeoutMs: number;
  readonly logger: Logger;
  readonly events: WorkerEvents;
  readonly link: EngineLink;
  /** Connects to the engine's socket (`unix:` address). */
  connect(address: string): EngineClient;
}

const firstRestartMs = 50;
const lastRestartMs = 5_000;
/** An engine that was up for so long starts with a fresh backoff. */
const settledMs = 10_000;
const pollMs = 250;
const pollTimeoutMs = 1_000;
const stopTimeoutMs = 5_000;

/** Log lines of the engine pass; the others are put in lines of ours and handed to `onWords`. */
function logLines(
  stream: Readable,
  logger: Logger,
  level: 'info' | 'warn',
  onWords: (line: string) => void = () => undefined,
): void {
  createInterface({ input: stream }).on('line', (line) => {
    if (line.startsWith('{')) return void process.stdout.write(`${line}\n`);
    logger[level]({ event: 'EngineSaid' }, line);
    onWords(line);
  });
}

/**
 * The engine child, from one incarnation to the next: started again with a growing pause when it dies,
 * killed when it no longer answers. Each has a socket of its own in a folder that only we may enter, and a
 * process group of its own, so that a Ctrl-C in the terminal reaches it through us, in order. The kernel
 * ends it when we die, also where it is stopped and would not see that.
 */
export class EngineProcess {
  private readonly folder = makeSocketFolder();
  private child: ChildProcess | null = null;
  private client: EngineClient | null = null;
  private incarnation = 0;
  private restartMs = firstRestartMs;
  private stopping = false;
  private timer: NodeJS.Timeout | null = null;
  private poller: NodeJS.Timeout | null = null;

  constructor(private readonly options: EngineProcessOptions) {}

  start(): void {
    if (this.stopping) return;
    const { mainFile, env, logger } = this.options;
    const startedAt = performance.now();
    const socket = join(this.folder, `${++this.incarnation}.sock`);
    const [program, ...args] = endsWithParent([process.execPath, mainFile]);
    const child = spawn(program as string, args, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...env, ROUNDHOUSE_ENGINE_SOCKET: socket },
      detached: true,
    });
    this.child = child;
    logLines(child.stdout!, logger, 'info');
    let lastWords = '';
    logLines(child.stderr!, logger, 'warn', (line) => (lastWords = line));
    const tooSlow = setTimeout(() => this.kill(child, 'not ready in time'), this.options.readyTimeoutMs);
    child.on('message', (message: { type?: string }) => {
      if (message.type !== 'ready') return;
      clearTimeout(tooSlow);
      this.ready(child, socket, startedAt);
    });
    child.on('error', (error) => logger.error({ event: 'EngineSpawnFailed', error }));
    child.on('close', (code, signal) => {
      clearTimeout(tooSlow);
      const words = lastWords === '' ? '' : `: ${shownText(lastWords, 300)}`;
      this.lost(child, `${signal ?? `exit code ${code}`}${words}`, startedAt);
    });
  }

  private ready(child: ChildProcess, socket: string, startedAt: number): void {
    if (this.stopping) return;
    const { events, link } = this.options;
    const address = `unix:${socket}`;
    const client = this.options.connect(address);
    this.client = client;
    link.up(client, address);
    events.EngineStarted({
      enginePid: child.pid ?? 0,
      startSeconds: (performance.now() - startedAt) / 1_000,
    });
    this.poll(child, client, address);
  }

  /** An engine that is up but no longer live is as good as dead. */
  private poll(child: ChildProcess, client: EngineClient, address: string): void {
    const { link } = this.options;
    this.poller = setTimeout(() => {
      const late = afterOwnTime(pollTimeoutMs, () => this.kill(child, `no answer in ${pollTimeoutMs} ms`));
      const answered = (fault: string | null): void => {
        late.cancel();
        if (this.client !== client || this.stopping) return;
        if (fault !== null) return this.kill(child, fault);
        if (link.current() === null) link.up(client, address);
        this.poll(child, client, address);
      };
      client.isLive().then(
        (live) => answered(live ? null : 'not live'),
        (error: unknown) => answered(`an unreadable answer: ${String(error)}`),
      );
    }, pollMs);
  }

  private kill(child: ChildProcess, reason: string): void {
    if (child !== this.child) return;
    this.options.logger.error({ event: 'EngineKilled', reason });
    this.options.link.down(`the engine was killed: ${reason}`);
    child.kill('SIGKILL');
  }

  private lost(child: ChildProcess, reason: string, startedAt: number): void {
    if (child !== this.child) return;
    this.child = null;
    if (this.poller !== null) clearTimeout(this.poller);
    void this.client?.close();
    this.client = null;
    if (this.stopping) return;
    if (performance.now() - startedAt > settledMs) this.restartMs = firstRestartMs;
    this.options.link.down(`the engine ended (${reason})`);
    this.options.events.EngineLost({ reason, restartInMs: this.restartMs });
    this.timer = setTimeout(() => this.start(), this.restartMs);
    this.restartMs = Math.min(this.restartMs * 2, lastRestartMs);
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.options.link.close();
    if (this.timer !== null) clearTimeout(this.timer);
    if (this.poller !== null) clearTimeout(this.poller);
    await this.client?.close();
    await this.endChild();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private endChild(): Promise<void> {
    const child = this.child;
    if (child === null || child.exitCode !== null) return Promise.resolve();
    // One that is not ready yet has nothing to finish.
    const isReady = this.client !== null;
    return new Promise((resolve) => {
      const cut = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
      child.once('close', () => {
        clearTimeout(cut);
        resolve();
      });
      child.kill(isReady ? 'SIGTERM' : 'SIGKILL');
    });
  }
}
