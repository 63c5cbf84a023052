import { runService } from '#lib/service';
import { loadWorkerConfig } from '../config';
import { workerEvents } from '../events';
import { startEngine, startHealth, startProtocol, waitForEngine, type Started } from '../start-worker';

/** A worker that takes no shards: an engine with its sentinel, and the ports of the inference protocol. */
void runService({
  name: 'serve-models',
  loadConfig: loadWorkerConfig,
  async start(context) {
    const started: Started = {};
    const http = await startHealth(context, started, {});
    const link = startEngine(context, workerEvents(context.telemetry), process.env);
    started.link = link;
    const ports = await startProtocol(context, link);
    await waitForEngine(link, context.signal);
    return { http, ...ports };
  },
});
