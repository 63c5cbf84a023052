import { runService } from '#lib/service';
import { loadWorkerConfig } from './config';
import { startWorker } from './start-worker';

void runService({
  name: 'inference-worker',
  loadConfig: loadWorkerConfig,
  start: (context) => startWorker(context, process.env),
});
