import type { Pipeline, PipelineOptions } from './pipeline';
import { loopback } from './ports';
import { portEnvironment, type ServiceKind } from './service-process';

export type Addresses = Pick<Pipeline, 'kafkaBrokers' | 'redisUrl'>;

/** In the order of the data: ingest, workers, aggregators; then the console. */
export function wantedServices({ counts = {}, ports = {} }: PipelineOptions) {
  const kinds: readonly ServiceKind[] = ['ingest', 'worker', 'aggregator', 'ops'];
  return kinds.flatMap((kind) =>
    Array.from({ length: counts[kind] ?? (kind === 'ops' ? 0 : 1) }, (_, index) => ({
      kind,
      name: index === 0 ? kind : `${kind}-${index + 1}`,
      ports: index === 0 ? (ports[kind] ?? {}) : {},
    })),
  );
}

/** Of every service, before the addresses of embedded servers are known. */
export function environmentsOf(options: PipelineOptions): [ServiceKind, NodeJS.ProcessEnv][] {
  const addresses = { kafkaBrokers: options.kafkaBrokers ?? '', redisUrl: options.redisUrl ?? '' };
  return wantedServices(options).map(({ kind, name, ports }) => [
    kind,
    { ...serviceEnvironment(options, addresses, kind, name), ...portEnvironment(kind, ports) },
  ]);
}

/** The whole environment of a service but for its ports. */
export function serviceEnvironment(
  options: PipelineOptions,
  { kafkaBrokers, redisUrl }: Addresses,
  kind: ServiceKind,
  name: string,
  stateFolder = '',
): NodeJS.ProcessEnv {
  return {
    ...options.inheritedEnv,
    ROUNDHOUSE_BIND_HOST: loopback,
    ROUNDHOUSE_STATE_DIR: stateFolder,
    ...options.env,
    ...options.serviceEnv?.[kind],
    ...options.serviceEnv?.[name],
    KAFKA_BROKERS: kafkaBrokers,
    REDIS_URL: redisUrl,
    ROUNDHOUSE_TOPIC_PREFIX: options.topicPrefix ?? '',
  };
}
