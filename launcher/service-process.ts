import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { SupervisedProcess, type ProcessEvent, type ServicePorts } from './processes';

export type ServiceKind = 'ingest' | 'worker' | 'aggregator';

interface ServiceKindFacts {
  readonly folder: string;
  readonly httpKey: string;
  readonly grpcKey?: string;
}

export const serviceKinds: Readonly<Record<ServiceKind, ServiceKindFacts>> = {
  ingest: {
    folder: 'ingest',
    httpKey: 'ROUNDHOUSE_INGEST_HTTP_PORT',
    grpcKey: 'ROUNDHOUSE_INGEST_GRPC_PORT',
  },
  worker: {
    folder: 'inference-worker',
    httpKey: 'ROUNDHOUSE_WORKER_HTTP_PORT',
    grpcKey: 'ROUNDHOUSE_WORKER_GRPC_PORT',
  },
  aggregator: { folder: 'aggregator', httpKey: 'ROUNDHOUSE_AGGREGATOR_HTTP_PORT' },
};

/** A port that somebody asked for by number, and the variable that names it. */
export interface WantedPort {
  readonly variable: string;
  readonly port: number;
}

export function wantedPorts(ports: Partial<Record<ServiceKind, ServicePorts>>): WantedPort[] {
  const kinds = Object.entries(ports) as [ServiceKind, ServicePorts][];
  return kinds.flatMap(([kind, { http, grpc }]) => {
    const { httpKey, grpcKey } = serviceKinds[kind];
    const wanted = [
      { variable: httpKey, port: http },
      { variable: grpcKey, port: grpc },
    ];
    return wanted.filter((one): one is WantedPort => one.variable !== undefined && one.port !== undefined);
  });
}

interface ServiceOptions {
  /** `worker`, `worker-2`, …: also the name of the log file. */
  readonly name: string;
  readonly kind: ServiceKind;
  readonly logs: string;
  /** 0 is any free port; a restarted service gets the one it had. */
  readonly ports: ServicePorts;
  /** The whole environment but for its ports. */
  readonly env: NodeJS.ProcessEnv;
  readonly readyTimeoutMs: number;
  readonly restarts: boolean;
  readonly onEvent?: (event: ProcessEvent) => void;
}

/** A service of ours as a child: `node dist/services/<folder>/main.js`. Call `start()` on it. */
export function serviceProcess(options: ServiceOptions): SupervisedProcess {
  const { folder, httpKey, grpcKey } = serviceKinds[options.kind];
  const portOf = (wanted?: number, last?: number): string => String(last ?? wanted ?? 0);
  return new SupervisedProcess(
    {
      name: options.name,
      command: process.execPath,
      args: ['--enable-source-maps', projectPath('dist', 'services', folder, 'main.js')],
      environment: (last) => ({
        ...options.env,
        [httpKey]: portOf(options.ports.http, last.http),
        ...(grpcKey === undefined ? {} : { [grpcKey]: portOf(options.ports.grpc, last.grpc) }),
      }),
      logFile: join(options.logs, `${options.name}.log`),
      ready: 'message',
      readyTimeoutMs: options.readyTimeoutMs,
      stopTimeoutMs: 15_000,
      restarts: options.restarts,
    },
    options.onEvent,
  );
}
