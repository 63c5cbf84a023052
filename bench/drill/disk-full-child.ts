import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import { connectBus } from '#lib/bus/kafka';
import { createTelemetry } from '#lib/telemetry';
import { topicsOf } from '#schemas/topics';
import { ConsoleWatch } from './console/console-watch';
import { check, timing, type Check } from './drill';
import { allDecided } from './rounds/decided';
import { Sender } from './rounds/sender';
import { standing, verdictOf } from './rounds/verdict';

/** node disk-full-child.js FOLDER SECONDS, in a mount namespace of its own: prints the checks as one line of JSON. */
const [folder = '', seconds = '8'] = process.argv.slice(2);
const diskBytes = 256 * 1_048_576;

/** Takes every byte that is left. */
function fill(file: string): number {
  const descriptor = openSync(file, 'w');
  let written = 0;
  for (let size = 1_048_576; size >= 1;) {
    try {
      written += writeSync(descriptor, Buffer.alloc(size));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      size = Math.floor(size / 16);
    }
  }
  closeSync(descriptor);
  return written;
}

/** Whatever gave up for want of room is started again, as an operator would. */
async function restartAll(pipeline: Pipeline): Promise<void> {
  for (const { name } of pipeline.processes()) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        await pipeline.restart(name);
        break;
      } catch (error) {
        if (attempt === 5) throw error;
        await sleep(1_000);
      }
    }
  }
}

async function firstWhole(pipeline: Pipeline, from: number): Promise<number> {
  const sender = new Sender(pipeline.ingestUrl, `again-${from}`, 3_000);
  while (Date.now() < from + 90_000) {
    const { decision, appendedAt } = await sender.dispatch(3_000);
    if (decision?.content.coverage === 1) return appendedAt - from;
    await sleep(100);
  }
  return Infinity;
}

async function drill(pipeline: Pipeline): Promise<Check[]> {
  const sender = new Sender(pipeline.ingestUrl, 'disk-full');
  const steady = sender.steadily(200, 8_000);
  await sleep(3_000);
  const eyes = new ConsoleWatch(pipeline.consoleUrl);
  const file = join(folder, 'full');
  const taken = fill(file);
  const before = sender.accepted.length;
  await sleep(Number(seconds) * 1_000);
  const meanwhile = sender.accepted.length - before;
  rmSync(file);
  const from = Date.now();
  await restartAll(pipeline);
  const again = await firstWhole(pipeline, from);
  await sender.stop();
  await steady;
  const { logger } = createTelemetry({ service: 'drill', logLevel: 'silent' });
  const bus = connectBus({ brokers: pipeline.kafkaBrokers.split(','), clientId: 'drill', logger });
  const published = await allDecided({ bus, topics: topicsOf() }, sender.runId, sender.accepted);
  await bus.close();
  const seen = await eyes.stop({ where: /Kafka|Redis/, words: /./ });
  return [
    check('bytes taken', '≥ 1', taken, taken > 0),
    check('rounds accepted meanwhile', 'few or none', meanwhile, true),
    timing('a round solved whole after there is room', 60_000, again),
    check('the console named', 'Kafka or Redis', seen.cause ?? 'neither', seen.found !== 'lacking'),
    ...standing(verdictOf(sender.rounds, published)),
  ];
}

async function main(): Promise<void> {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', folder]);
  const pipeline = await startPipeline({ inheritedEnv: process.env, runRoot: folder, counts: { ops: 1 } });
  const checks = await drill(pipeline).finally(() => pipeline.stop());
  console.log(JSON.stringify(checks));
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
