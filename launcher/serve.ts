import { projectPath } from '#schemas/project-root';
import type { Pipeline, PipelineOptions } from './pipeline';

/** The ports of a pipeline that stays up, as the services' own defaults; the environment may change each. */
export function servedPorts(env: NodeJS.ProcessEnv): NonNullable<PipelineOptions['ports']> {
  const port = (name: string, fallback: number) => Number(env[name] ?? fallback);
  return {
    ingest: {
      http: port('ROUNDHOUSE_INGEST_HTTP_PORT', 8080),
      grpc: port('ROUNDHOUSE_INGEST_GRPC_PORT', 8081),
    },
    worker: {
      http: port('ROUNDHOUSE_WORKER_HTTP_PORT', 8090),
      grpc: port('ROUNDHOUSE_WORKER_GRPC_PORT', 8001),
    },
    aggregator: { http: port('ROUNDHOUSE_AGGREGATOR_HTTP_PORT', 8070) },
  };
}

const path = (file: string) => projectPath(...file.split('/'));

/** What a producer needs to know, with commands that work as they stand. */
export function endpointsText({
  ingestUrl,
  ingestGrpc,
  workerGrpc,
  kafkaBrokers,
  redisUrl,
  logs,
}: Pipeline): string {
  return `
  HTTP        ${ingestUrl}   POST /v1/rounds, GET /v1/runs/{runId}/rounds/{roundId}/decision?waitMs=, POST /v1/observations
  gRPC        ${ingestGrpc}   SubmitRound, WatchDecisions (${path('schemas/proto')})
  KServe v2   ${workerGrpc}   any Triton client
  Kafka       ${kafkaBrokers}   topics dispatch.*
  Redis       ${redisUrl}
  logs        ${logs}

A round with one courier and one order, and its decision:

  curl -s ${ingestUrl}/v1/rounds -H 'content-type: application/json' -d '{
    "runId": "try", "roundId": "r1", "zoneId": "z", "sequence": 1, "asOf": 0, "space": "planar",
    "deadline": '$(( ($(date +%s) + 5) * 1000 ))',
    "couriers": [{"courierId": "c1", "position": {"x": 0, "y": 0}}],
    "orders": [{"orderId": "o1", "pickup": {"point": {"x": 500, "y": 0}}, "dropoff": {"point": {"x": 900, "y": 800}}}]
  }'
  curl -s '${ingestUrl}/v1/runs/try/rounds/r1/decision?waitMs=5000'

The same with the TypeScript client: ${path('examples')}. Ctrl-C ends everything.`;
}
