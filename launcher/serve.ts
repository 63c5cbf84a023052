import { loadConfig, portSetting } from '#lib/config';
import { projectPath } from '#schemas/project-root';
import type { Pipeline, PipelineOptions } from './pipeline';
import { loopback } from './ports';
import { allKinds, requireSettings } from './service-settings';

const portSettings = {
  ingestHttp: portSetting('ROUNDHOUSE_INGEST_HTTP_PORT', 8080),
  ingestGrpc: portSetting('ROUNDHOUSE_INGEST_GRPC_PORT', 8081),
  workerHttp: portSetting('ROUNDHOUSE_WORKER_HTTP_PORT', 8090),
  workerGrpc: portSetting('ROUNDHOUSE_WORKER_GRPC_PORT', 8001),
  workerKserveHttp: portSetting('ROUNDHOUSE_WORKER_KSERVE_HTTP_PORT', 8000),
  workerMetrics: portSetting('ROUNDHOUSE_WORKER_METRICS_PORT', 8002),
  workerPeer: portSetting('ROUNDHOUSE_WORKER_PEER_PORT', 8003),
  aggregatorHttp: portSetting('ROUNDHOUSE_AGGREGATOR_HTTP_PORT', 8070),
  opsHttp: portSetting('ROUNDHOUSE_OPS_HTTP_PORT', 8060),
};

/** A worker with one of these opens a port for other workers (docs/ucx.md). */
const peerKeys = ['ROUNDHOUSE_UCX_NETWORKS', 'ROUNDHOUSE_PEER_TLS_CERT'];

/**
 * The ports of a pipeline that stays up, as the services' own defaults; the environment may change each. Throws
 * CONFIG_INVALID with every fault of any service's settings before anything is started.
 */
export function servedPorts(env: NodeJS.ProcessEnv): NonNullable<PipelineOptions['ports']> {
  requireSettings(allKinds.map((kind) => [kind, env]));
  const ports = loadConfig(env, portSettings);
  const opensPeer = peerKeys.some((key) => (env[key] ?? '') !== '');
  return {
    ingest: { http: ports.ingestHttp, grpc: ports.ingestGrpc },
    worker: {
      http: ports.workerHttp,
      grpc: ports.workerGrpc,
      kserveHttp: ports.workerKserveHttp,
      metrics: ports.workerMetrics,
      ...(opensPeer ? { peer: ports.workerPeer } : {}),
    },
    aggregator: { http: ports.aggregatorHttp },
    ops: { http: ports.opsHttp },
  };
}

const path = (file: string) => projectPath(...file.split('/'));

type Served = Pick<
  Pipeline,
  'ingestUrl' | 'ingestGrpc' | 'workerGrpc' | 'kafkaBrokers' | 'redisUrl' | 'topicPrefix'
> &
  Pick<Pipeline, 'logs' | 'processes' | 'workerHttp' | 'workerMetrics' | 'consoleUrl'>;

/** /livez, /readyz and /metrics of every service. */
function healthLine(processes: ReturnType<Pipeline['processes']>): string {
  return processes
    .flatMap(({ name, ports: { http } }) =>
      http === undefined ? [] : [`${name} http://${loopback}:${http}`],
    )
    .join(', ');
}

/** The environment in which a command of ours finds this pipeline's Kafka. */
function commandEnvironment({ kafkaBrokers, topicPrefix }: Served): string {
  const prefix = topicPrefix === '' ? '' : ` ROUNDHOUSE_TOPIC_PREFIX=${topicPrefix}`;
  return `KAFKA_BROKERS=${kafkaBrokers}${prefix}`;
}

/** A word of a command line as it can be copied into a shell. */
export function shellWord(text: string): string {
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** As it may stand on a screen. */
function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//***@');
}

/** Ingest asks callers for a credential (docs/security.md). */
const asksForCredential = (env: NodeJS.ProcessEnv): boolean =>
  ['ROUNDHOUSE_INGEST_ACCESS_FILE', 'ROUNDHOUSE_INGEST_JWT_KEYS'].some((key) => (env[key] ?? '') !== '');

/**
 * What a producer needs to know, with commands that work as they stand, again and again; where a credential is asked
 * for they take it from the variable CREDENTIAL.
 */
export function endpointsText(pipeline: Served, env: NodeJS.ProcessEnv = {}): string {
  const isSecured = asksForCredential(env);
  const credential = isSecured ? `-H "authorization: Bearer $CREDENTIAL" ` : '';
  const { ingestUrl, ingestGrpc, workerGrpc, kafkaBrokers, logs } = pipeline;
  const redisUrl = withoutPassword(pipeline.redisUrl);
  const { workerHttp, workerMetrics, consoleUrl } = pipeline;
  return `
  console     ${consoleUrl}   rounds, figures, engines and incidents, live (docs/console.md)
  HTTP        ${ingestUrl}   POST /v1/rounds, GET /v1/runs/{runId}/rounds/{roundId}/decision?waitMs=, POST /v1/observations
  gRPC        ${ingestGrpc}   SubmitRound, WatchDecisions (${path('schemas/proto')})
  KServe v2   ${workerHttp}   HTTP: curl, any Triton client (docs/kserve.md); gRPC on ${workerGrpc}
  metrics     ${workerMetrics}   of the worker, for Prometheus
  health      ${healthLine(pipeline.processes())}   each /livez, /readyz, /metrics
  Kafka       ${kafkaBrokers}   topics ${pipeline.topicPrefix}dispatch.*
  Redis       ${redisUrl}
  logs        ${logs}

A round with one courier and one order, and its decision:
${isSecured ? '\n  export CREDENTIAL=   # an API key or a token (docs/security.md)' : ''}
  id=try-$(date +%s%N)
  curl -s ${ingestUrl}/v1/rounds ${credential}-H 'content-type: application/json' -d '{
    "roundId": "'$id'", "deadline": '$(( $(date +%s%3N) + 5000 ))', "space": "planar",
    "couriers": [{"courierId": "c1", "position": {"x": 0, "y": 0}}],
    "orders": [{"orderId": "o1", "pickup": {"point": {"x": 500, "y": 0}}, "dropoff": {"point": {"x": 900, "y": 800}}}]
  }'
  curl -s ${credential}"${ingestUrl}/v1/runs/live/rounds/$id/decision?waitMs=6000"

The same with the TypeScript client (${path('examples/produce-round.ts')}):

  node ${shellWord(path('dist/examples/produce-round.js'))} ${ingestUrl}

Messages that no service could read:

  ${commandEnvironment(pipeline)} npm run --silent dead-letters

Ctrl-C ends everything.`;
}
