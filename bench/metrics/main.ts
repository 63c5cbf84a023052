import { runCommand, numberFlag, readFlags } from '#lib/command-line';
import { createTelemetry } from '#lib/telemetry';
import { workerEvents, type WorkerEvents } from '#services/inference-worker/events';

const usage = `npm run --silent bench -- metrics [--events 1000000]
  One JSON object: what the metrics of a shard cost a worker, in microseconds of its processor; then how long scrapes
  take after so many events with as many ids, and how many series they have, at first and then.`;

/** Shards until the code is compiled. */
const warmUp = 200_000;
const phases = ['decode', 'copy_in', 'etr', 'or', 'copy_out', 'publish'];

/** Those of one shard on a GPU; ids are other ones each time. Returns how many events there are. */
function tellOfShard(events: WorkerEvents, number: number): number {
  const model = 'candidate_cost';
  events.ShardFinished({
    runId: 'run',
    roundId: `round-${number}`,
    shardIndex: number,
    status: 'solved',
    code: 'none',
    model,
    candidates: 500,
    seconds: 0.01,
  });
  events.CandidatesCosted({ model, candidates: 500 });
  events.DataPlaneSent({ path: 'slot' });
  for (const phase of phases) events.PhaseEnded({ model, phase, seconds: 0.001 });
  for (const phase of ['etr', 'or']) events.DeviceWorked({ engine: 'gpu:0', phase, seconds: 0.001 });
  return 3 + phases.length + 2;
}

function seriesIn(body: string): number {
  return body.split('\n').filter((line) => line !== '' && !line.startsWith('#')).length;
}

async function measure(most: number): Promise<object> {
  const telemetry = createTelemetry({ service: 'inference-worker', logLevel: 'silent' });
  const events = workerEvents(telemetry);
  const scrape = async () => {
    const from = performance.now();
    const { body } = await telemetry.registry.scrape('application/openmetrics-text');
    return { ms: Number((performance.now() - from).toFixed(1)), series: seriesIn(body), bytes: body.length };
  };
  let [told, shards] = [0, 0];
  for (; shards < warmUp; shards += 1) tellOfShard(events, shards);
  const first = await scrape();
  const before = process.cpuUsage();
  for (; told < most; shards += 1) told += tellOfShard(events, shards);
  const { user, system } = process.cpuUsage(before);
  const scrapes = [await scrape(), await scrape(), await scrape()];
  const usPerShard = Number(((user + system) / (shards - warmUp)).toFixed(2));
  return { events: told, eventsPerShard: told / (shards - warmUp), usPerShard, first, scrapes };
}

function parseOptions(argv: readonly string[]): number {
  const { events } = readFlags(argv, { events: { type: 'string' } } as const);
  return numberFlag('events', events, { default: 1_000_000, min: 1, max: 1_000_000_000 });
}

async function run(most: number): Promise<void> {
  console.log(JSON.stringify(await measure(most), null, 2));
}

void runCommand({ usage, parse: parseOptions, run });
