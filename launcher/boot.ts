import { RoundhouseError } from '#schemas/errors';
import { GivenUp } from './given-up';
import { givenServers, startPipeline, type Pipeline, type PipelineOptions } from './pipeline';
import { processEventLine } from './process-event-line';
import { untilReady } from './readiness';
import type { Terminal } from './terminal/terminal';

interface BootOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly ports?: PipelineOptions['ports'];
  /** A process does not stay up. */
  onLost(reason: Error): void;
  /** The start failed; its logs are kept. */
  onFailed(logs: string): void;
}

/** Starts a pipeline and tells the user of it, with the servers that the environment names. */
export function boot({ env, terminal, signal, ports, onLost, onFailed }: BootOptions): Promise<Pipeline> {
  const given = givenServers(env);
  terminal.status(`starting ${startedText(given)}`);
  return startPipeline({
    inheritedEnv: env,
    abort: signal,
    onFailed,
    ...given,
    counts: { ops: 1 },
    ...(ports === undefined ? {} : { ports }),
    onEvent: (event) => {
      const line = processEventLine(event);
      if (event.kind === 'ready' || event.kind === 'awaited') terminal.status(line);
      else terminal.line(line);
      // Rounds are decided without a console.
      if (event.kind === 'gaveUp' && event.name !== 'ops') onLost(new GivenUp(event));
    },
  });
}

/** What is started, and which servers of others it uses. */
function startedText({ kafkaBrokers, redisUrl }: ReturnType<typeof givenServers>): string {
  const own = [kafkaBrokers === undefined ? ['broker'] : [], redisUrl === undefined ? ['Redis'] : []].flat();
  const others = [
    ...(kafkaBrokers === undefined ? [] : [`Kafka at ${kafkaBrokers}`]),
    ...(redisUrl === undefined ? [] : ['the Redis of REDIS_URL']),
  ];
  const parts = [...own, 'ingest', 'worker with its engine', 'aggregator', 'console'].join(', ');
  return others.length === 0 ? parts : `${parts}, with ${others.join(' and ')}`;
}

const readyWithinMs = 10_000;

/** What is still not ready, with the reasons; a day is not begun with it. */
export function untilServing(
  pipeline: Pipeline,
  { terminal, signal }: Pick<BootOptions, 'terminal' | 'signal'>,
): Promise<string[]> {
  return untilReady(() => pipeline.processes(), {
    timeoutMs: readyWithinMs,
    signal,
    onWait: (faults) => terminal.status(`not ready yet: ${faults.join(', ')}`),
  });
}

/** Why a day is not begun. */
export function notReady(faults: readonly string[]): RoundhouseError {
  const reasons = faults.map((fault) => `  ${fault}`).join('\n');
  const message = `no round could be decided, so none was sent:\n${reasons}`;
  return new RoundhouseError('DEPENDENCY_ABSENT', message);
}
