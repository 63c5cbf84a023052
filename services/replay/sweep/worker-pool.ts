import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { endsWithParent } from '#lib/ends-with-parent';
import { projectPath } from '#schemas/project-root';
import type { SweepAnswer, SweepTask } from './sweep-worker';

const workerMain = projectPath('dist', 'services', 'replay', 'sweep', 'sweep-worker.js');

/** A process that answers a task at a time, and is started anew when it has died. */
class SweepProcess {
  private child: ChildProcess | null = null;

  constructor(private readonly main: string) {}

  private start(): ChildProcess {
    const [program, ...args] = endsWithParent([process.execPath, this.main]);
    return spawn(program!, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true });
  }

  /** One that dies over a task is an answer, too; one that ended between tasks is replaced. */
  ask(task: SweepTask): Promise<SweepAnswer> {
    if (this.child !== null && !this.child.connected) {
      this.child.kill('SIGKILL');
      this.child = null;
    }
    const child = (this.child ??= this.start());
    return new Promise((resolve) => {
      const end = (found: SweepAnswer): void => {
        child.removeAllListeners().on('error', () => undefined);
        resolve(found);
      };
      const died = (how: string): void => {
        this.child = null;
        end({ error: `its process ${how}` });
      };
      child.once('message', (found) => end(found as SweepAnswer));
      child.once('exit', (code, signal) => died(`ended with ${signal ?? code}`));
      child.once('error', (error) => died(`can't run: ${error.message}`));
      child.send(task, (error) => {
        if (error === null) return;
        child.kill('SIGKILL');
        died(`can't be asked: ${error.message}`);
      });
    });
  }

  async stop(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }
}

export interface Pool {
  readonly jobs: number;
  readonly signal: AbortSignal;
  /** What each process runs. */
  readonly main?: string;
}

/** Answers each task in one of some processes and hands it over as it comes; an abort ends them at once. */
export async function askAll<T extends SweepTask>(
  tasks: readonly T[],
  { jobs, signal, main = workerMain }: Pool,
  take: (task: T, found: SweepAnswer) => void,
): Promise<void> {
  const processes = Array.from({ length: Math.min(jobs, tasks.length) }, () => new SweepProcess(main));
  const stopAll = () => Promise.all(processes.map((one) => one.stop()));
  const stop = (): void => void stopAll();
  signal.addEventListener('abort', stop, { once: true });
  let next = 0;
  try {
    await Promise.all(
      processes.map(async (one) => {
        while (next < tasks.length && !signal.aborted) {
          const task = tasks[next++]!;
          const found = await one.ask(task);
          if (!signal.aborted) take(task, found);
        }
      }),
    );
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', stop);
    await stopAll();
  }
}
