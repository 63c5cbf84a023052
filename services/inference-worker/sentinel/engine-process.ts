import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { endsWithParent } from '#lib/ends-with-parent';
import type { Logger } from '#lib/telemetry';
import { niceCommand, restorePriority } from './priority';
import { TextTail } from './text-tail';

export interface EngineProcessOptions {
  readonly mainFile: string;
  /** The whole environment of the child; the socket is added. */
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

const stopTimeoutMs = 5_000;
const tailLength = 8_192;
/** Others may hold its standard error open after it has ended: they are not waited for. */
const lastWordsMs = 300;

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
 * One engine child, in a process group of its own, so that a Ctrl-C in the terminal reaches it through us, in
 * order, and what it started (stubs of the Python backend) ends with it. The kernel ends it when we die, also
 * where it is stopped and would not see that.
 */
export class EngineProcess {
  readonly words = new TextTail(tailLength);
  private readonly child: ChildProcess;
  private isReady = false;
  private isOver = false;
  private readonly closed: Promise<void>;

  constructor(private readonly options: EngineProcessOptions) {
    const { mainFile, env, socket, nice, logger } = options;
    const command = [process.execPath, mainFile];
    const [program, ...args] = endsWithParent(nice ? niceCommand(command) : command);
    this.child = spawn(program as string, args, {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...env, ROUNDHOUSE_ENGINE_SOCKET: socket },
      detached: true,
    });
    logLines(this.child.stdout!, logger, 'info');
    logLines(this.child.stderr!, logger, 'warn', (line) => this.words.add(line));
    this.closed = new Promise((resolve) => this.child.once('close', () => resolve()));
    this.listen();
  }

  /** 0 where it could not be started. */
  get pid(): number {
    return this.child.pid ?? 0;
  }

  private listen(): void {
    const { logger, onReady } = this.options;
    this.child.on('message', (message: { type?: string }) => {
      if (message.type !== 'ready' || this.isReady) return;
      this.isReady = true;
      onReady();
    });
    this.child.once('exit', (code, signal) => this.over({ code, signal }));
    this.child.on('error', (error) => {
      logger.error({ event: 'EngineSpawnFailed', error });
      if (this.child.pid === undefined) this.over({ code: null, signal: null });
    });
  }

  private over(end: EngineEnd): void {
    if (this.isOver) return;
    this.isOver = true;
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
      if (!this.isOver) this.child.kill('SIGKILL');
    }
  }

  /** In order where it is ready, then for good. Resolves when it is gone. */
  async stop(): Promise<void> {
    if (this.isOver) return;
    await new Promise<void>((resolve) => {
      const cut = setTimeout(() => this.kill(), stopTimeoutMs);
      this.child.once('exit', () => {
        clearTimeout(cut);
        resolve();
      });
      if (this.isReady) this.child.kill('SIGTERM');
      else this.kill();
    });
  }
}
