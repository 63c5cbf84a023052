import { runCommand } from '#lib/command-line';
import { startPipeline } from '../../launcher/pipeline';
import { stopSignal } from '../../launcher/stop-signal';
import { benchDay } from './bench-day';
import { parseOptions, usage, type MdrpBenchOptions } from './options';

async function bench(options: MdrpBenchOptions): Promise<void> {
  const signal = stopSignal();
  const pipeline = options.pipeline
    ? await startPipeline({ inheritedEnv: process.env, abort: signal })
    : null;
  try {
    for (const folder of options.folders) {
      signal.throwIfAborted();
      console.log(await benchDay(folder, options, { pipeline, signal }));
    }
  } finally {
    await pipeline?.stop();
  }
}

void runCommand({ usage, parse: parseOptions, run: bench });
