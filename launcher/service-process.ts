import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { SupervisedProcess, type ProcessEvent, type ServicePorts } from './processes';

export type ServiceKind = 'ingest' | 'worker' | 'aggregator' | 'ops';

interface ServiceKindFacts {
  readonly folder: string;
  /** Of its start. */
  readonly awaits: string;
  /** The variables that name its ports. */
  readonly portKeys: Readonly<Partial<Record<keyof ServicePorts, string>>>;
}

export const serviceKinds: Readonly<Record<ServiceKind, ServiceKindFacts>> = {
  ingest: {
    folder: 'ingest',
    awaits: 'its topics in Kafka and its answer from Redis',
    portKeys: { http: 'ROUNDHOUSE_INGEST_HTTP_PORT', grpc: 'ROUNDHOUSE_INGEST_GRPC_PORT' },
  },
  worker: {
    folder: 'inference-worker',
    awaits: 'an engine that has loaded its models',
    portKeys: {
      http: 'ROUNDHOUSE_WORKER_HTTP_PORT',
      grpc: 'ROUNDHOUSE_WORKER_GRPC_PORT',
      kserveHttp: 'ROUNDHOUSE_WORKER_KSERVE_HTTP_PORT',
      metrics: 'ROUNDHOUSE_WORKER_METRICS_PORT',
      peer: 'ROUNDHOUSE_WORKER_PEER_PORT',
    },
  },
  aggregator: {
    folder: 'aggregator',
    awaits: 'its topics in Kafka and its state in Redis',
    portKeys: { http: 'ROUNDHOUSE_AGGREGATOR_HTTP_PORT' },
  },
  ops: { folder: 'ops', awaits: 'its port', portKeys: { http: 'ROUNDHOUSE_OPS_HTTP_PORT' } },
};

/** A port that somebody asked for by number, and the variable that names it. */
export interface WantedPort {
  readonly variable: string;
  readonly port: number;
}

export function wantedPorts(ports: Partial<Record<ServiceKind, ServicePorts>>): WantedPort[] {
  const kinds = Object.entries(ports) as [ServiceKind, ServicePorts][];
  return kinds.flatMap(([kind, wanted]) =>
    portVariables(kind).flatMap(([name, variable]) => {
      const port = wanted[name];
      return port === undefined ? [] : [{ variable, port }];
    }),
  );
}

/** Its ports as its environment has them; any free one where none is named. */
export function portEnvironment(kind: ServiceKind, ports: ServicePorts): NodeJS.ProcessEnv {
  return Object.fromEntries(portVariables(kind).map(([name, key]) => [key, String(ports[name] ?? 0)]));
}

function portVariables(kind: ServiceKind): [keyof ServicePorts, string][] {
  return Object.entries(serviceKinds[kind].portKeys) as [keyof ServicePorts, string][];
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
  /** What of it is only known when it starts. */
  readonly envAtStart?: () => NodeJS.ProcessEnv;
  readonly readyTimeoutMs: number;
  readonly restarts: boolean;
  readonly onEvent?: (event: ProcessEvent) => void;
}

/** A service of ours as a child: `node dist/services/<folder>/main.js`. Call `start()` on it. */
export function serviceProcess(options: ServiceOptions): SupervisedProcess {
  const { folder, awaits } = serviceKinds[options.kind];
  const portsIn = (last: ServicePorts) => portEnvironment(options.kind, { ...options.ports, ...last });
  return new SupervisedProcess(
    {
      name: options.name,
      command: process.execPath,
      args: ['--enable-source-maps', projectPath('dist', 'services', folder, 'main.js')],
      environment: (last) => ({ ...options.env, ...options.envAtStart?.(), ...portsIn(last) }),
      logFile: join(options.logs, `${options.name}.log`),
      ready: 'message',
      awaits,
      readyTimeoutMs: options.readyTimeoutMs,
      stopTimeoutMs: 15_000,
      restarts: options.restarts,
    },
    options.onEvent,
  );
}
