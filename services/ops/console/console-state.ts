import type { Episodes } from '#policy/operations/episodes';
import { explain } from '#policy/operations/signals';
import { topicsOf, type Topics } from '#schemas/topics';
import { computeFigures, windowMs, type Figures } from '../figures/figures';
import { History } from '../figures/history';
import { RecentGrowth } from '../figures/recent-growth';
import { ownGroups } from '../kafka/group-names';
import type { LagView } from '../kafka/lag-book';
import { TopicRates } from '../kafka/topic-rates';
import { RiskWatch } from '../rounds/risk-watch';
import type { RoundLog } from '../rounds/round-log';
import { CounterSteps, type CounterStep } from '../scrape/counter-steps';
import type { ServiceLook } from '../scrape/scrape-service';
import { EngineLosses } from './engine-losses';
import { LastAnswers } from './last-answers';
import type { GroupView, IncidentView, RoundCounts, Snapshot, StageView, Tick, WayTopic } from './messages';
import { CpuShares, engineViews, IncidentList, serviceView } from './service-views';
import { SignalFinder } from './signals/find-signals';
import { Kinds } from './signals/process-look';
import type { RiskCounts } from './signals/sources';
import { sufferers } from './sufferers';
import { worstLevel } from './worst-level';

/** What was seen at one moment. */
export interface Seen {
  readonly at: number;
  readonly lag: LagView;
  readonly services: readonly ServiceLook[];
  readonly kafkaFault: string | null;
  readonly kafkaLookMs: number | null;
  readonly missingTopics: readonly string[];
}

interface ConsoleOptions {
  readonly topicPrefix: string;
  readonly intervalMs: number;
  /** Why what was wrong of late would not outlive this process; null where it does. */
  whyForgotten(): string | null;
}

/** As many as the page keeps. */
const mostChanged = 400;

/** Everything that the console shows, made anew at every look. */
export class ConsoleState {
  private readonly history: History;
  private readonly steps = new CounterSteps();
  private readonly growth = new RecentGrowth(windowMs);
  private readonly rates = new TopicRates();
  private readonly cpu = new CpuShares();
  private readonly losses = new EngineLosses();
  private readonly incidentList = new IncidentList();
  private incidents: readonly IncidentView[] = [];
  private readonly lastAnswers = new LastAnswers();
  private readonly kinds = new Kinds();
  private readonly signals = new SignalFinder();
  private toldVersion = 0;
  private firstLookAt: number | null = null;
  private readonly risk: RiskWatch;
  private readonly topics: Topics;
  private tick: Tick | null = null;

  constructor(
    private readonly rounds: RoundLog,
    private readonly episodes: Episodes,
    private readonly options: ConsoleOptions,
  ) {
    const { topicPrefix, intervalMs } = options;
    this.risk = new RiskWatch(ownGroups(topicPrefix));
    this.history = new History(intervalMs);
    this.topics = topicsOf(topicPrefix);
  }

  saw(seen: Seen): Tick {
    const { at, lag, services, kafkaFault } = seen;
    if (kafkaFault === null) {
      this.rates.saw(lag, at);
      this.risk.saw(lag, at);
    }
    const steps = this.steps.saw(services);
    this.growth.saw(steps, at);
    this.losses.saw(services, steps, at);
    const risk = this.riskOf(at);
    const counts = this.counts(at);
    const figures = this.figures(seen, counts);
    this.history.add(figures, at);
    this.judge(seen, steps, risk);
    const problems = this.episodes.standing();
    this.tick = {
      ...{ at, problems, level: worstLevel(problems), figures, counts, ...this.recentIfNew() },
      way: this.way(),
      ...this.processes(seen),
      forgets: this.options.whyForgotten(),
      groups: lag.groups.map(groupView),
      rounds: this.rounds.takeChanged(mostChanged),
    };
    return this.tick;
  }

  /** What is wrong, what explains it, and what it costs. */
  private judge({ at, ...seen }: Seen, steps: readonly CounterStep[], risk: RiskCounts): void {
    const { episodes } = this;
    const processes = this.kinds.of(seen.services);
    const signals = this.signals.saw({ ...seen, processes, steps, risk }, at);
    episodes.saw(explain(signals, episodes.lately(at)), at);
    const decided = this.rounds.takeDecided();
    // What was decided before anybody looked is of the past.
    const since = (this.firstLookAt ??= at);
    episodes.suffered(sufferers(decided.filter(({ decision }) => decision!.decidedAt > since)), at);
  }

  private recentIfNew(): Pick<Tick, 'recent'> {
    const { version } = this.episodes;
    if (version === this.toldVersion) return {};
    this.toldVersion = version;
    return { recent: this.episodes.all() };
  }

  /** For who begins to look; null before the first look. */
  snapshot(): Snapshot | null {
    const { tick, history } = this;
    const { topicPrefix: prefix, intervalMs } = this.options;
    if (tick === null) return null;
    const past = { at: history.times, figures: history.figures };
    const rounds = this.rounds.latest(mostChanged);
    const { incidents } = this;
    return { ...tick, incidents, recent: this.episodes.all(), rounds, prefix, intervalMs, history: past };
  }

  counts(now: number): RoundCounts {
    const { overdue, shards, outcomes } = this.riskOf(now);
    return { waiting: this.rounds.waiting(now).length, atRisk: overdue + shards + outcomes, overdue };
  }

  private riskOf(now: number): RiskCounts {
    return this.risk.counts(this.rounds.waiting(now), now);
  }

  private figures({ at: now, services }: Seen, { atRisk }: RoundCounts): Figures {
    const shards = this.risk.viewOf('shards');
    return computeFigures({
      ...{ now, services, growth: this.growth, rounds: this.rounds.all(), atRisk },
      shardsWaiting: shards?.backlog ?? null,
      secondsBehind: shards?.secondsBehind ?? null,
      engineLosses: this.losses.count,
    });
  }

  private processes({ at, services }: Seen): Pick<Tick, 'services' | 'engines' | 'incidents'> {
    const shares = this.cpu.saw(services, at);
    const remembered = this.lastAnswers.of(services);
    return {
      services: services.map((look) => serviceView(look, shares.get(look.instance.name) ?? null)),
      engines: remembered.flatMap(engineViews),
      ...this.incidentsIfNew(remembered),
    };
  }

  private incidentsIfNew(looks: readonly ServiceLook[]): Pick<Tick, 'incidents'> {
    const before = this.incidents;
    this.incidents = this.incidentList.of(looks);
    return this.incidents === before ? {} : { incidents: this.incidents };
  }

  private way(): Tick['way'] {
    const decisions = this.rates.cameIn(this.topics.decisions);
    const plain = { inRate: decisions, outRate: null, waiting: 0, secondsBehind: 0, members: null };
    return {
      rounds: this.stage('rounds'),
      shards: this.stage('shards'),
      outcomes: this.stage('outcomes'),
      decisions: plain,
    };
  }

  private stage(name: Exclude<WayTopic, 'decisions'>): StageView | null {
    const group = this.risk.viewOf(name);
    if (group === undefined) return null;
    const { groupId, topic, members, backlog: waiting, secondsBehind } = group;
    const inRate = this.rates.cameIn(topic);
    return { inRate, outRate: this.rates.tookOut(groupId, topic), waiting, secondsBehind, members };
  }
}

function groupView({ partitions, ...group }: LagView['groups'][number]): GroupView {
  const text = (value: bigint | null): string | null => (value === null ? null : String(value));
  return {
    ...group,
    partitions: partitions.map(({ committed, end, lag, ...rest }) => {
      return { ...rest, committed: text(committed), end: String(end), lag: text(lag) };
    }),
  };
}
