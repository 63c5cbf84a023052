import { join } from 'node:path';
import { startPipeline, type Pipeline, type PipelineOptions } from '#launcher/pipeline';
import { untilReady } from '#launcher/readiness';
import type { SupervisedProcess } from '#launcher/processes';
import { makeRunFolder, type RunFolder } from '#launcher/run-folder';
import { createKafka } from '#lib/bus/kafka-client';
import { connectBus, type Bus } from '#lib/bus/kafka';
import { createTelemetry } from '#lib/telemetry';
import { topicsOf, type Topics } from '#schemas/topics';
import { falseClock, type FalseClock } from './false-clock';
import { faultModels, type FaultModels } from './fault-models';
import { startServers, stopServers, type Servers } from './servers';

const readyMs = 90_000;
const { logger } = createTelemetry({ service: 'drill', logLevel: 'silent' });

export type StandOptions = Pick<PipelineOptions, 'counts'> & {
  /** That ops looks at, too: group@topic. */
  readonly opsGroups?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
};

/**
 * The whole pipeline, each part a process of its own, behind lines that can be cut; the drill itself reaches the broker
 * without one. Services that end by themselves are started again, as an orchestrator would.
 */
export class Stand {
  readonly topics: Topics = topicsOf();

  private constructor(
    readonly pipeline: Pipeline,
    readonly servers: Servers,
    readonly bus: Bus,
    private readonly models: FaultModels,
    private readonly folder: RunFolder,
    /** What its services have beside the servers' addresses. */
    readonly env: NodeJS.ProcessEnv,
    /** The aggregator's. */
    readonly clock: FalseClock,
  ) {}

  static async start({ env = {}, opsGroups = [], counts = {} }: StandOptions = {}): Promise<Stand> {
    const folder = makeRunFolder();
    const clock = falseClock();
    const models = faultModels();
    const servers = await startServers(folder);
    const { kafkaBrokers, redisUrl } = servers;
    const all = {
      ROUNDHOUSE_INCIDENT_DIR: join(folder.path, 'incidents'),
      ROUNDHOUSE_WORKER_SESSION_TIMEOUT_MS: '6000',
      ROUNDHOUSE_MAX_CLOCK_SKEW_MS: '500',
      ROUNDHOUSE_OPS_INTERVAL_MS: '500',
      ROUNDHOUSE_OPS_CONSUMER_GROUPS: opsGroups.join(','),
      ...models.env,
      ...env,
    };
    try {
      const pipeline = await startPipeline({
        inheritedEnv: process.env,
        kafkaBrokers,
        redisUrl,
        counts: { ops: 1, ...counts },
        serviceEnv: { aggregator: clock.env },
        env: all,
      });
      const brokers = [servers.broker.address];
      const bus = connectBus({ brokers, clientId: 'drill', logger, maxMessageBytes: 8_388_608 });
      return new Stand(pipeline, servers, bus, models, folder, all, clock);
    } catch (error) {
      await stopServers(servers);
      models.remove();
      clock.remove();
      throw error;
    }
  }

  /** For what the bus does not do. */
  kafka(): ReturnType<typeof createKafka> {
    return createKafka({ brokers: [this.servers.broker.address], clientId: 'drill', logger });
  }

  get modelsFolder(): string {
    return this.models.folder;
  }

  private process(name: string): SupervisedProcess | null {
    const { broker, redis } = this.servers;
    return [broker.process, redis.process].find((one) => one.name === name) ?? null;
  }

  /** Of the first worker's engine where the name is `engine`. */
  pidOrNull(name: string): number | null {
    if (name === 'engine') return this.pipeline.enginePids()[0] ?? null;
    const found = this.process(name) ?? this.pipeline.processes().find((one) => one.name === name);
    return found?.pid ?? null;
  }

  /** Throws where it doesn't run. */
  pid(name: string): number {
    const pid = this.pidOrNull(name);
    if (pid === null) throw new Error(`${name} is not running`);
    return pid;
  }

  kill(name: string): Promise<void> {
    return this.process(name)?.kill() ?? this.pipeline.kill(name);
  }

  restart(name: string): Promise<void> {
    return this.process(name)?.start() ?? this.pipeline.restart(name);
  }

  /** Of a service's port for health. */
  url(service: string, path: string): string {
    const port = this.pipeline.processes().find(({ name }) => name === service)?.ports.http;
    return `http://127.0.0.1:${port}${path}`;
  }

  async readiness(service: string): Promise<{ readonly status: number; readonly text: string }> {
    try {
      const response = await fetch(this.url(service, '/readyz'), { signal: AbortSignal.timeout(2_000) });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      return { status: 0, text: String(error) };
    }
  }

  /** Until every service that should run is ready. Rejects with the reasons. */
  async ready(timeoutMs = readyMs): Promise<void> {
    const { signal } = new AbortController();
    const services = () => this.pipeline.processes().filter(({ pid }) => pid !== null);
    const faults = await untilReady(services, { timeoutMs, signal, onWait: () => undefined });
    if (faults.length > 0) throw new Error(`not ready in ${timeoutMs} ms: ${faults.join('; ')}`);
  }

  /** Whatever a drill left: lines open, everything running and ready. */
  async heal(): Promise<void> {
    const { kafkaLine, redisLine, broker, redis } = this.servers;
    for (const line of [kafkaLine, redisLine]) {
      line.delay(0);
      await line.set('open');
    }
    const all = [broker.process, redis.process];
    for (const one of all) one.signal('SIGCONT');
    for (const { name } of this.pipeline.processes()) this.pipeline.signal(name, 'SIGCONT');
    for (const pid of this.pipeline.enginePids()) process.kill(pid, 'SIGCONT');
    await Promise.all(all.map((one) => one.start()));
    await Promise.all(this.pipeline.processes().map(({ name }) => this.pipeline.restart(name)));
    await this.ready();
  }

  async stop(): Promise<void> {
    await this.bus.close();
    await this.pipeline.stop();
    await stopServers(this.servers);
    this.models.remove();
    this.clock.remove();
    this.folder.removeData();
  }
}
