import { ArgumentsInvalid, runCommand } from '#lib/command-line';
import { runService } from '#lib/service';
import { shownText } from '#schemas/shown-text';
import { loadWorkerConfig } from '../config';
import { workerEvents } from '../events';
import { startEngines } from '../placement/start-engines';
import { openModelAccess } from '../protocol/open-model-access';
import { startSharing } from '../remote/start-sharing';
import { startHealth, startProtocol, waitForEngine, type Started } from '../start-worker';

const usage = `npm run --silent serve-models
  Serves the models of ROUNDHOUSE_MODELS_DIR (default models/) as a Triton server does, without Kafka, until Ctrl-C:
  KServe v2 over HTTP on port 8000 and over gRPC on 8001, metrics on 8002, /livez and /readyz on 8090.
  ROUNDHOUSE_WORKER_KSERVE_HTTP_PORT, …_GRPC_PORT, …_METRICS_PORT and …_HTTP_PORT name others;
  docs/kserve.md and docs/configuration.md have the rest.`;

/** Everything comes from the environment. */
function parse([word]: readonly string[]): void {
  if (word === undefined) return;
  throw new ArgumentsInvalid(`${shownText(word, 100)}: no arguments are taken`);
}

/** A worker that takes no shards: an engine with its sentinel, and the ports of the inference protocol. */
function run(): Promise<void> {
  return runService({
    name: 'serve-models',
    loadConfig: loadWorkerConfig,
    async start(context) {
      const started: Started = {};
      const events = workerEvents(context.telemetry);
      const access = openModelAccess(context, events);
      const http = await startHealth(context, started, access, {});
      const local = startEngines(context, events, process.env);
      const { engines } = local;
      started.engines = engines;
      const sharing = await startSharing(context, local, events, process.env);
      const ports = await startProtocol(context, engines, sharing.peers, access);
      await waitForEngine(engines, context.signal);
      await sharing.announce(ports.grpc);
      return { http, ...ports };
    },
  });
}

const staysUp = () => undefined;

void runCommand({ usage, parse, run }, process.argv.slice(2), staysUp);
