import { setTimeout as sleep } from 'node:timers/promises';
import { connectBus, type Bus } from '#lib/bus/kafka';
import { kafkaAccess } from '#lib/bus/kafka-security';
import { redisAccess } from '#lib/redis-security';
import { readServerTls } from '#lib/server-tls';
import type { ServiceContext, ServicePorts } from '#lib/service';
import { Episodes } from '#policy/operations/episodes';
import type { UnixMs } from '#schemas/brands';
import { projectPath } from '#schemas/project-root';
import { topicsOf } from '#schemas/topics';
import { opsSettings, type OpsConfig } from './config';
import { Attention } from './console/attention';
import { ConsoleState } from './console/console-state';
import { KeptEpisodes } from './console/kept-episodes';
import { Looks } from './console/looks';
import { opsEvents } from './events';
import { addFamilies } from './families';
import { serveConsole } from './http/serve-console';
import { StaticFiles } from './http/static-files';
import { Viewers } from './http/viewers';
import { watchedGroups } from './kafka/group-names';
import { LagWatch } from './kafka/lag-watch';
import { followRounds } from './rounds/follow-rounds';
import { RoundLog } from './rounds/round-log';
import { Timelines } from './rounds/timelines';
import { incidentReport } from './scrape/incident-report';

type Context = ServiceContext<OpsConfig>;

const topicsPollMs = 500;

interface Parts {
  readonly bus: Bus;
  readonly lag: LagWatch;
  readonly rounds: RoundLog;
  readonly state: ConsoleState;
  readonly kept: KeptEpisodes;
  readonly viewers: Viewers;
  /** Why rounds are not followed; null while they are. */
  following: string | null;
}

function makeParts({ config, logger, onStop }: Context): Parts {
  const { topicPrefix, intervalMs } = config;
  const bus = connectBus({ ...kafkaAccess(config), clientId: 'roundhouse-ops', logger });
  onStop('bus', () => bus.close());
  const lag = new LagWatch(bus, watchedGroups(topicPrefix, config.groups), topicPrefix);
  const rounds = new RoundLog(config.rounds);
  const episodes = new Episodes();
  const kept = new KeptEpisodes(episodes, { access: redisAccess(config), topicPrefix, logger });
  onStop('kept', () => kept.close());
  const state = new ConsoleState(rounds, episodes, {
    topicPrefix,
    intervalMs,
    whyForgotten: () => kept.whyNot(),
  });
  const viewers = new Viewers(config.viewers, config.viewersOfAddress);
  return { bus, lag, rounds, state, kept, viewers, following: 'the topics are not read yet' };
}

async function startHttp(context: Context, parts: Parts, attention: Attention): Promise<number> {
  const { config, telemetry, logger, onStop } = context;
  const { bus, lag, rounds, state, viewers } = parts;
  const timelines = new Timelines(bus, topicsOf(config.topicPrefix), rounds);
  const console = await serveConsole({
    registry: telemetry.registry,
    checks: { kafka: () => lag.whyNot(), rounds: () => parts.following },
    host: config.bindHost,
    port: config.httpPort,
    portKey: opsSettings.httpPort.key,
    tls: readServerTls(config),
    files: new StaticFiles(projectPath('dist', 'services', 'ops', 'web')),
    viewers,
    api: {
      problems: () => {
        attention.asked();
        const now = state.snapshot();
        if (now === null) return null;
        const { at, level, problems, recent, forgets } = now;
        return { at, level, problems, recent, forgets };
      },
      search: (text) => rounds.search(text, 50),
      detail: (id) => timelines.detail(id),
      incident: (worker, id) => incidentReport(config.targets, worker, id),
    },
    snapshot: () => state.snapshot(),
    onFault: (error) => logger.error({ event: 'ConsoleFailed', error }),
  });
  onStop('http', () => console.close());
  // First: an open console would hold its connection for as long as it may.
  onStop('viewers', () => viewers.close());
  return console.port;
}

/** As soon as somebody has made the topics; nothing is made here. */
async function followWhenThere(context: Context, parts: Parts, since: UnixMs): Promise<void> {
  const { config, signal, telemetry } = context;
  const topics = topicsOf(config.topicPrefix);
  const events = opsEvents(telemetry);
  while (!signal.aborted) {
    try {
      const missing = await parts.bus.missingTopics([topics.rounds, topics.decisions]);
      if (missing.length === 0) {
        await followRounds(parts.bus, topics, parts.rounds, since, events);
        parts.following = null;
        return events.RoundsFollowed({ sinceMs: Date.now() - since });
      }
      parts.following = `no topic ${missing.join(', ')} yet`;
    } catch (error) {
      parts.following = error instanceof Error ? error.message : String(error);
    }
    await sleep(topicsPollMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Serves at once: a console that shows what is absent is worth more than one that waits for it. */
export async function startOps(context: Context): Promise<ServicePorts> {
  const { config, logger, onStop } = context;
  const parts = makeParts(context);
  const { lag, state, kept, viewers } = parts;
  const attention = new Attention(config.intervalMs, () => viewers.count);
  addFamilies(context.telemetry.registry, {
    lag: () => {
      attention.asked();
      return lag.holding();
    },
    counts: () => {
      const isKnown = parts.following === null && lag.holding() !== null;
      return isKnown ? state.counts(Date.now()) : null;
    },
    viewers: () => viewers.count,
  });
  const http = await startHttp(context, parts, attention);
  let isFirst = true;
  const looks = new Looks({
    ...{ lag, logger, targets: config.targets, paceMs: () => attention.paceMs() },
    onSeen: (seen) => {
      const tick = state.saw(seen);
      viewers.tick(tick, () => (isFirst ? state.snapshot() : null));
      isFirst = false;
      kept.soon();
    },
  });
  onStop('looks', () => looks.close());
  viewers.onFirst = () => looks.soon();
  // What is wrong now may have been wrong before.
  void kept.open().then(() => looks.start());
  void followWhenThere(context, parts, (Date.now() - config.historyMs) as UnixMs);
  return { http };
}
