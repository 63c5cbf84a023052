import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * A thread of its own for what would hold up the event loop: a job is posted to it, its next message is the answer, so
 * callers give it one job at a time. Started when it is first needed, and again after it has ended; it doesn't keep the
 * process alive.
 */
export class JobThread<Job, Answer> {
  private thread: Worker | null = null;

  /** `does`: what the thread does, for the error of a job with which it ended. */
  constructor(
    private readonly file: string,
    private readonly workerData: unknown,
    private readonly does: string,
  ) {}

  /** Has no effect where it runs. */
  start(): Worker {
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
    const lost = once(thread, 'exit', { signal: ended.signal }).then(() => {
      throw new Error(`the thread that ${this.does} ended`);
    });
    try {
      thread.postMessage(job, handedOver);
      return ((await Promise.race([answer, lost])) as [Answer])[0];
    } finally {
      ended.abort();
      for (const rest of [answer, lost]) rest.catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    await this.thread?.terminate();
  }

  private spawn(): Worker {
    const thread = new Worker(this.file, { workerData: this.workerData });
    thread.unref();
    const forget = () => {
      if (this.thread === thread) this.thread = null;
    };
    return thread.on('error', forget).on('exit', forget);
  }
}
