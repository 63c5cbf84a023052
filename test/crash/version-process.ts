import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from './installation';

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

/** A service of one version as a process, ready. */
export class VersionProcess {
  private constructor(
    private readonly child: ChildProcess,
    readonly name: string,
    readonly httpPort: number,
  ) {}

  /** Rejects where it ends before it is ready. */
  static async start(
    installation: Installation,
    service: string,
    { env, logs, name }: { env: NodeJS.ProcessEnv; logs: string; name: string },
  ): Promise<VersionProcess> {
    const log = openSync(join(logs, `${name}.log`), 'a');
    const child = spawn(process.execPath, [installation.mainOf(service)], {
      cwd: installation.root,
      env,
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`${name} ended with ${String(code)} before it was ready; its log is in ${logs}`);
    });
    const ready = new Promise<ReadyMessage>((resolve) => {
      child.on(
        'message',
        (message) => (message as ReadyMessage).type === 'ready' && resolve(message as ReadyMessage),
      );
    });
    const { ports } = await Promise.race([ready, ended]);
    ended.catch(() => undefined);
    return new VersionProcess(child, name, ports.http ?? 0);
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
