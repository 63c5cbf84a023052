import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Queue, Worker } from 'bullmq';
import type { Redis } from '#lib/redis';
import type { Logger } from '#lib/telemetry';

export interface BackupJobsOptions {
  /** Clients of their own with `maxRetriesPerRequest: null`. */
  readonly queueClient: Redis;
  readonly workerClient: Redis;
  readonly prefix: string;
  readonly logger: Logger;
  /** The round of this key is due. */
  onDue(roundKey: string): Promise<void>;
}

const queueName = 'round-deadlines';
const STOP_MS = 1_000;

/** Neither a colon nor a number, which BullMQ refuses in a job id. */
export function jobIdOf(roundKey: string): string {
  return `r-${createHash('sha256').update(roundKey).digest('hex').slice(0, 40)}`;
}

/** Delayed BullMQ jobs that survive the death of the instance whose timers they back up. */
export class BackupJobs {
  private readonly queue: Queue;
  private readonly worker: Worker;

  constructor(options: BackupJobsOptions) {
    const { queueClient, workerClient, logger, onDue } = options;
    const prefix = `${options.prefix}aggregator:bull`;
    this.queue = new Queue(queueName, { connection: queueClient, prefix, skipVersionCheck: true });
    this.worker = new Worker(queueName, (job) => onDue((job.data as { key: string }).key), {
      connection: workerClient,
      prefix,
      skipVersionCheck: true,
    });
    const onError = (error: Error) => logger.debug({ event: 'BackupJobsDisturbed', reason: error.message });
    this.queue.on('error', onError);
    this.worker.on('error', onError);
    this.worker.on('failed', (_job, error) => onError(error));
  }

  /** Never rejects: it is only the backup. */
  schedule(roundKey: string, at: number): void {
    const delay = Math.max(0, at - Date.now());
    const options = {
      jobId: jobIdOf(roundKey),
      delay,
      removeOnComplete: true,
      removeOnFail: true,
      attempts: 1,
    };
    this.queue.add('due', { key: roundKey }, options).catch(() => undefined);
  }

  /** Doesn't wait for a Redis that is away. */
  async stop(): Promise<void> {
    const closed = this.worker.close(true).then(() => this.queue.close());
    await Promise.race([closed, sleep(STOP_MS)]);
  }
}
