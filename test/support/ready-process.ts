import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

const portKeys = [
  'INGEST_HTTP',
  'INGEST_GRPC',
  'WORKER_HTTP',
  'WORKER_GRPC',
  'WORKER_KSERVE_HTTP',
  'WORKER_METRICS',
  'WORKER_PEER',
  'AGGREGATOR_HTTP',
];
export const anyPorts = Object.fromEntries(portKeys.map((key) => [`ROUNDHOUSE_${key}_PORT`, '0']));

interface ReadyMessage {
  readonly type: string;
  readonly ports: { readonly http?: number };
}

export interface ReadyProcessOptions {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
}

/** A service as a process, from wherever its programs lie; ready. */
export class ReadyProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly name: string,
    readonly httpPort: number,
  ) {}

  /** Rejects where it ends before it is ready. */
  static async start({ name, command, args, cwd, env, logFile }: ReadyProcessOptions): Promise<ReadyProcess> {
    const log = openSync(logFile, 'a');
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', log, log, 'ipc'] });
    closeSync(log);
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${name} ended with ${String(code)} before it was ready; its log is ${logFile}`);
    });
    const ready = new Promise<ReadyMessage>((resolve) => {
      child.on('message', (message) => {
        if ((message as ReadyMessage).type === 'ready') resolve(message as ReadyMessage);
      });
    });
    const { ports } = await Promise.race([ready, ended]);
    ended.catch(() => undefined);
    return new ReadyProcess(child, name, ports.http ?? 0);
  }

  /** SIGTERM, as a supervisor's stop in order; resolves to the exit code. */
  async stop(): Promise<number | null> {
    if (this.child.exitCode !== null) return this.child.exitCode;
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    return ((await ended) as [number | null])[0];
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }
}
