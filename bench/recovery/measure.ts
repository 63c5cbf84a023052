import { setTimeout as sleep } from 'node:timers/promises';
import type { Pipeline } from '#launcher/pipeline';
import { connectBus } from '#lib/bus/kafka';
import { createTelemetry } from '#lib/telemetry';
import type { DispatchRound } from '#schemas/domain';
import { topicsOf } from '#schemas/topics';
import { DecisionLog } from '../pipeline/decision-log';
import { bodyOf, submitSteadily } from '../pipeline/load';
import { killEngines } from './kills';
import type { RecoveryOptions, Way } from './options';
import type { Measured } from './report';
import { ShardLog } from './shard-log';

const chunkSeconds = 2;
/** Outcomes and decisions that come after their deadline are waited for so long. */
const settleMs = 2_000;
const note = (text: string): void => void process.stderr.write(`${text}\n`);

/** The pipeline bench's load for as long as the kills take. */
export async function measure(
  options: RecoveryOptions,
  way: Way,
  pipeline: Pipeline,
  rounds: readonly DispatchRound[],
): Promise<Measured> {
  const { logger } = createTelemetry({ service: 'bench', logLevel: 'warn' });
  const bus = connectBus({ brokers: pipeline.kafkaBrokers.split(','), clientId: 'bench', logger });
  const topics = topicsOf(pipeline.topicPrefix);
  const [log, shards] = [new DecisionLog(), new ShardLog()];
  await log.follow(bus, topics);
  await shards.follow(bus, topics);
  const load = { ...options, ...way, ingestUrl: pipeline.ingestUrl, rounds: rounds.map(bodyOf), log };
  let firstIndex = 0;
  const submit = async (seconds: number): Promise<void> => {
    firstIndex += (await submitSteadily({ ...load, seconds, firstIndex })).length;
  };
  note(`warming up for ${options.warmUpSeconds} s`);
  await submit(options.warmUpSeconds);
  note(`${options.kills} kills ${way.standby ? 'with' : 'without'} a standby`);
  let done = false;
  const kills = killEngines(options, way, pipeline, shards).finally(() => (done = true));
  // Seen when it is awaited below.
  kills.catch(() => undefined);
  while (!done) await submit(chunkSeconds);
  const killed = await kills;
  await sleep(way.deadlineMs + settleMs);
  const refusal = [...log.rounds.values()].find(({ refusal }) => refusal !== null)?.refusal;
  if (refusal !== undefined) note(`a round was refused: ${refusal}`);
  await log.close();
  await shards.close();
  await bus.close();
  const { good, duplicatesUsed } = shards;
  return { way, kills: killed, rounds: log.rounds, shards: shards.shards.values(), good, duplicatesUsed };
}
