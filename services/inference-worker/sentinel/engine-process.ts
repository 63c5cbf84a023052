import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { engineChild } from '#lib/engine-child';
import type { Logger } from '#lib/telemetry';
import { niceCommand, restorePriority } from './priority';
import { TextTail } from './text-tail';

export interface EngineProcessOptions {
  readonly mainFile: string;
  /** Ours; see `engineChild`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly socket: string;
  /** It leaves the processor to others until `hurry` (where that can be taken back). */
  readonly nice: boolean;
  readonly logger: Logger;
  onReady(): void;
  /** Once; also where it could not be started. */
  onExit(end: EngineEnd): void;
}

export interface EngineEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

interface DevicesMessage {
  readonly kind?: unknown;
  readonly lacking?: unknown;
}

const stopTimeoutMs = 5_000;
const tailLength = 8_192;
/** Others may hold its standard error open after it has ended: they are not waited for. */
const lastWordsMs = 300;

/** Where Node throws (no memory, no permission) it is as with the errors that it tells later. */
function spawned(program: string, args: readonly string[], options: SpawnOptions): ChildProcess | Error {
  try {
    return spawn(program, args, options);
  } catch (error) {
    return error as Error;
  }
}

/** Log lines of the engine pass; the others are put in lines of ours and handed to `onWords`. */
function logLines(
  stream: Readable | null | undefined,
  logger: Logger,
  level: 'info' | 'warn',
  onWords: (line: string) => void = () => undefined,
): void {
  // Without descriptors for pipes there are none.
  if (!stream) return;
  createInterface({ input: stream }).on('line', (line) => {
    if (line.startsWith('{')) return void process.stdout.write(`${line}\n`);
    logger[level]({ event: 'EngineSaid' }, line);
    onWords(line);
  });
}

/**
 * One engine child, in a process group of its own, so that a Ctrl-C in the terminal reaches it through us, in
 * order, and what it started (stubs of the Python backend) ends with it. The kernel ends it when we die, also
 * where it is stopped and would not see that.
 */
export class EngineProcess {
  readonly words = new TextTail(tailLength);
  /** As it says before it is ready. */
  deviceKind = 'cpu';
  /** What of its confinement doesn't hold. */
  unconfined = '';
  /** null where not even that could be made. */
  private readonly child: ChildProcess | null;
  private isReady = false;
  private isOver = false;
  private readonly closed: Promise<void>;
  private readonly ended: Promise<void>;
  private tellEnded = (): void => undefined;

  constructor(private readonly options: EngineProcessOptions) {
    const { mainFile, env, socket, nice, logger } = options;
    const command = [process.execPath, mainFile];
    const { program, args, ...own } = engineChild(nice ? niceCommand(command) : command, env, {
      ROUNDHOUSE_ENGINE_SOCKET: socket,
    });
    const child = spawned(program, args, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: own.env,
      detached: true,
    });
    this.ended = new Promise((resolve) => (this.tellEnded = resolve));
    this.child = child instanceof Error ? null : child;
    this.closed = new Promise((resolve) => void this.child?.once('close', () => resolve()));
    if (child instanceof Error) {
      process.nextTick(() => this.notSpawned(child));
      return;
    }
    logLines(child.stdout, logger, 'info');
    logLines(child.stderr, logger, 'warn', (line) => this.words.add(line));
    this.listen(child);
  }

  /** 0 where it could not be started. */
  get pid(): number {
    return this.child?.pid ?? 0;
  }

  private listen(child: ChildProcess): void {
    child.on('message', (message: { type?: string } & DevicesMessage) => {
      if (message.type === 'devices') this.describe(message);
      if (message.type !== 'ready' || this.isReady) return;
      this.isReady = true;
      this.options.onReady();
    });
    child.once('exit', (code, signal) => this.over({ code, signal }));
    child.on('error', (error) => this.notSpawned(error));
  }

  private describe({ kind, lacking }: DevicesMessage): void {
    this.deviceKind = String(kind);
    this.unconfined = String(lacking ?? '');
  }

  private notSpawned(error: Error): void {
    this.options.logger.error({ event: 'EngineSpawnFailed', error });
    this.words.add(error.message);
    if (this.pid === 0) this.over({ code: null, signal: null });
  }

  private over(end: EngineEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.tellEnded();
    this.killGroup();
    this.options.onExit(end);
  }

  /** Resolves when all that it wrote has been read, or soon. */
  async lastWords(): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    const soon = new Promise<void>((resolve) => (timer = setTimeout(resolve, lastWordsMs)));
    await Promise.race([this.closed, soon]);
    clearTimeout(timer);
    return this.words.last();
  }

  hurry(): void {
    if (this.options.nice) restorePriority(this.pid);
  }

  kill(): void {
    if (!this.isOver) this.killGroup();
  }

  private killGroup(): void {
    if (this.pid === 0) return;
    try {
      process.kill(-this.pid, 'SIGKILL');
    } catch {
      if (!this.isOver) this.child?.kill('SIGKILL');
    }
  }

  /** In order where it is ready, then for good. Resolves when it is gone. */
  async stop(): Promise<void> {
    if (this.isOver) return;
    const cut = setTimeout(() => this.kill(), stopTimeoutMs);
    if (this.isReady) this.child?.kill('SIGTERM');
    else this.kill();
    await this.ended;
    clearTimeout(cut);
  }
}
