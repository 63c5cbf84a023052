import { once } from 'node:events';
import { availableParallelism, totalmem } from 'node:os';
import { Worker, type ResourceLimits } from 'node:worker_threads';
import { hasSpareCores } from './spare-cores';

const YOUNG_MB = 192;
/** Five threads keep some 130 MB of their rooms each, beside all else that a service has. */
const LEAST_MEMORY_BYTES = 2 * 2 ** 30;

/** What the process may use: of its container, where that has a limit, or of the machine. */
function memoryHere(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}

/**
 * Megabytes for young objects: what a large job makes is gone before they are full. V8's usual 48 are full a dozen times in one
 * large round, and what is still needed is copied each time. Only where there are cores and memory for several threads.
 */
export function youngRoom(cores = availableParallelism(), memoryBytes = memoryHere()): ResourceLimits {
  const hasRoom = hasSpareCores(cores) && memoryBytes >= LEAST_MEMORY_BYTES;
  return hasRoom ? { maxYoungGenerationSizeMb: YOUNG_MB } : {};
}

/**
 * A thread of its own for what would hold up the event loop: a job is posted to it, its next message is the answer, so
 * callers give it one job at a time. Started when it is first needed, and again after it has ended, until it is stopped; it
 * doesn't keep the process alive.
 */
export class JobThread<Job, Answer> {
  private thread: Worker | null = null;
  private stopped = false;
  /** Of the jobs that are being answered. */
  private readonly givesUp = new Set<() => void>();

  /** `does`: what the thread does, for the error of a job with which it ended. */
  constructor(
    private readonly file: string,
    private readonly workerData: unknown,
    private readonly does: string,
  ) {}

  /** Has no effect where it runs. Throws after `stop`. */
  start(): Worker {
    if (this.stopped) throw new Error(`the thread that ${this.does} is stopped`);
    this.thread ??= this.spawn();
    return this.thread;
  }

  /** For a job without an answer; one that doesn't run has nothing to be told. */
  tell(job: Job): void {
    this.thread?.postMessage(job);
  }

  /** Rejects where the thread ends instead of answering. `handedOver`: buffers that are the thread's from then on. */
  async ask(job: Job, handedOver: readonly ArrayBuffer[] = []): Promise<Answer> {
    const thread = this.start();
    const ended = new AbortController();
    const answer = once(thread, 'message', { signal: ended.signal });
    const unreadable = once(thread, 'messageerror', { signal: ended.signal }).then(() => {
      throw new Error(`the answer of the thread that ${this.does} can't be read`);
    });
    const lost = once(thread, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`the thread that ${this.does} ended`);
    });
    const given = new Promise<never>((_, reject) => {
      const giveUp = () => reject(new Error(`the thread that ${this.does} did not answer`));
      this.givesUp.add(giveUp);
      ended.signal.addEventListener('abort', () => this.givesUp.delete(giveUp));
    });
    try {
      thread.postMessage(job, handedOver);
      return ((await Promise.race([answer, unreadable, lost, given])) as [Answer])[0];
    } finally {
      ended.abort();
      for (const rest of [answer, unreadable, lost, given]) rest.catch(() => undefined);
    }
  }

  /** For one that hangs: its job is given up at once, and the next one has a thread of its own, also where this one can't be ended. */
  replace(): void {
    const { thread } = this;
    this.thread = null;
    for (const giveUp of [...this.givesUp]) giveUp();
    void thread?.terminate();
  }

  /** For good: jobs from then on are refused. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.thread?.terminate();
  }

  private spawn(): Worker {
    const thread = new Worker(this.file, { workerData: this.workerData, resourceLimits: youngRoom() });
    thread.unref();
    const forget = () => {
      if (this.thread === thread) this.thread = null;
    };
    return thread.on('error', forget).on('exit', forget);
  }
}
