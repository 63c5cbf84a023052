import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { endsWithParent } from '#lib/ends-with-parent';
import { RoundhouseError } from '#schemas/errors';
import { awaitedServer, configFaultIn, endOfLog } from './end-of-log';
import { RestartBudget } from './restart-budget';

export interface ServicePorts {
  readonly http?: number;
  readonly grpc?: number;
  readonly kserveHttp?: number;
  readonly metrics?: number;
  /** Of a worker, for other workers, where it opens one; asked for only, not told when it is ready. */
  readonly peer?: number;
}

/** What is run and how one sees that it is ready. */
export interface ProcessSpec {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The launcher's own when absent. */
  readonly cwd?: string;
  /** The whole environment of the process; called at every start, with the ports of the last one. */
  environment(lastPorts: ServicePorts): NodeJS.ProcessEnv;
  readonly logFile: string;
  /** `message`: our services' ready message by IPC. Otherwise polled until it is true. */
  readonly ready: 'message' | (() => Promise<boolean>);
  readonly readyTimeoutMs: number;
  /** What a start of it waits for, in words, where its log names no server. */
  readonly awaits?: string;
  /** Between SIGTERM and SIGKILL. */
  readonly stopTimeoutMs: number;
  /** Start again after an exit that nobody asked for. */
  readonly restarts: boolean;
}

export type ProcessEvent =
  /** Not ready yet; `words` say what it waits for. */
  | { readonly kind: 'awaited'; readonly name: string; readonly words: string }
  | { readonly kind: 'ready'; readonly name: string; readonly pid: number }
  /** What a service of ours wants its user to know. */
  | { readonly kind: 'told'; readonly name: string; readonly words: string }
  | { readonly kind: 'exited'; readonly name: string; readonly reason: string; readonly again: boolean }
  | { readonly kind: 'gaveUp'; readonly name: string; readonly reason: string; readonly logFile: string };

/** How our services end where their configuration is wrong. */
export const configExit = 'exit code 2';

/**
 * One child process in a process group of its own, so that a Ctrl-C in the terminal reaches only the
 * launcher, which then stops its children in order. The kernel ends it when the launcher dies.
 */
export class SupervisedProcess {
  #child: ChildProcess | null = null;
  #ports: ServicePorts = {};
  #wanted = false;
  /** In a `start()`: its rejection tells of an end, and nothing is started again. */
  #starting = false;
  #timer: NodeJS.Timeout | null = null;
  readonly #budget = new RestartBudget();

  constructor(
    readonly spec: ProcessSpec,
    private readonly onEvent: (event: ProcessEvent) => void = () => {},
  ) {}

  get name(): string {
    return this.spec.name;
  }
  get pid(): number | null {
    return this.#child?.pid ?? null;
  }
  get ports(): ServicePorts {
    return this.#ports;
  }

  /** Says what it waits for, where its start is still under way. */
  tellIfStarting(): void {
    if (!this.#starting) return;
    const { ready, logFile, awaits = '' } = this.spec;
    const words = (ready === 'message' && awaitedServer(logFile)) || awaits;
    this.onEvent({ kind: 'awaited', name: this.name, words });
  }

  /** Resolves when it is ready; rejects with the end of its log when it exits or is too slow. */
  async start(): Promise<void> {
    if (this.#child !== null) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#wanted = true;
    this.#starting = true;
    try {
      await this.#follow(this.#spawn());
    } catch (error) {
      await this.kill();
      throw error;
    } finally {
      this.#starting = false;
    }
  }

  async #follow(child: ChildProcess): Promise<void> {
    this.#child = child;
    child.once('exit', (code, signal) => this.#ended(child, signal ?? `exit code ${code}`));
    await this.#untilReady(child);
    this.onEvent({ kind: 'ready', name: this.name, pid: child.pid ?? 0 });
  }

  /** SIGTERM, then SIGKILL after `stopTimeoutMs`. Resolves when the process is gone. */
  async stop(): Promise<void> {
    await this.#end('SIGTERM', this.spec.stopTimeoutMs);
  }

  /** SIGKILL. It stays dead until `start()`. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL', 0);
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async #end(signal: NodeJS.Signals, timeoutMs: number): Promise<void> {
    this.#wanted = false;
    if (this.#timer !== null) clearTimeout(this.#timer);
    const child = this.#child;
    if (child === null) return;
    const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(signal);
    const forced = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    await gone;
    clearTimeout(forced);
  }

  #spawn(): ChildProcess {
    const { command, args, cwd, logFile, ready } = this.spec;
    const log = openSync(logFile, 'a');
    const [program, ...rest] = endsWithParent([command, ...args]);
    const child = spawn(program as string, rest, {
      stdio: ['ignore', log, log, ...(ready === 'message' ? (['ipc'] as const) : [])],
      env: this.spec.environment(this.#ports),
      cwd,
      detached: true,
    });
    closeSync(log);
    return child;
  }

  #untilReady(child: ChildProcess): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string): void => settle(() => reject(this.#notReady(reason)));
      const onExit = (code: number | null, signal: string | null): void =>
        fail(signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`);
      const timer = setTimeout(
        () => fail(`was not ready after ${this.spec.readyTimeoutMs} ms`),
        this.spec.readyTimeoutMs,
      );
      let settled = false;
      const settle = (finish: () => void): void => {
        if (settled) return;
        settled = true;
        clearTimeout(timer);
        child.off('exit', onExit);
        finish();
      };
      child.once('error', (error) => {
        this.#ended(child, error.message);
        fail(`could not be started: ${error.message}`);
      });
      child.once('exit', onExit);
      this.#watchReady(
        child,
        () => settle(resolve),
        () => settled,
      );
    });
  }

  #watchReady(child: ChildProcess, ready: () => void, settled: () => boolean): void {
    const probe = this.spec.ready;
    if (probe === 'message') {
      child.on('message', (message) => {
        if (isTold(message)) this.onEvent({ kind: 'told', name: this.name, words: message.words });
        if (!isReadyMessage(message)) return;
        this.#ports = message.ports;
        ready();
      });
      return;
    }
    const poll = async (): Promise<void> => {
      if (settled()) return;
      if (await probe()) ready();
      else setTimeout(() => void poll(), 50);
    };
    void poll();
  }

  /** A service of ours that ends for its configuration says what is wrong with it, and so do we. */
  #notReady(reason: string): RoundhouseError {
    const { name, logFile, ready } = this.spec;
    if (ready === 'message' && reason === `ended with ${configExit}`) {
      const fault = configFaultIn(logFile) || endOfLog(logFile);
      return new RoundhouseError('CONFIG_INVALID', `${name}: ${fault}\nIts log: ${logFile}`);
    }
    return new RoundhouseError(
      'DEPENDENCY_ABSENT',
      `${name} ${reason}. The end of ${logFile}:\n${endOfLog(logFile)}`,
    );
  }

  #ended(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = null;
    if (this.#wanted && !this.#starting) this.#startAgain(reason);
  }

  #startAgain(reason: string): void {
    const { name, restarts, logFile } = this.spec;
    const isHopeless = !restarts || reason === configExit;
    const delayMs = isHopeless ? null : this.#budget.nextDelayMs(Date.now());
    this.onEvent({ kind: 'exited', name, reason, again: delayMs !== null });
    if (delayMs !== null) this.#timer = setTimeout(() => this.#restart(), delayMs);
    else this.#wanted = false;
    if (delayMs === null && restarts) this.onEvent({ kind: 'gaveUp', name, reason, logFile });
  }

  /** A spawn that throws counts as a start that failed. */
  #restart(): void {
    try {
      this.#follow(this.#spawn()).catch(() => this.#child?.kill('SIGKILL'));
    } catch (error) {
      this.#startAgain(`could not be started: ${(error as Error).message}`);
    }
  }
}

function isReadyMessage(message: unknown): message is { type: 'ready'; ports: ServicePorts } {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'ready';
}

function isTold(message: unknown): message is { type: 'told'; words: string } {
  return typeof message === 'object' && message !== null && 'type' in message && message.type === 'told';
}
