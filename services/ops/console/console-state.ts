import { topicsOf, type Topics } from '#schemas/topics';
import { computeFigures, windowMs, type Figures } from '../figures/figures';
import { History } from '../figures/history';
import { RecentGrowth } from '../figures/recent-growth';
import { ownGroups } from '../kafka/group-names';
import type { LagView } from '../kafka/lag-book';
import { TopicRates } from '../kafka/topic-rates';
import { RiskWatch } from '../rounds/risk-watch';
import type { RoundLog } from '../rounds/round-log';
import { roundState } from '../rounds/round-view';
import type { ServiceLook } from '../scrape/scrape-service';
import { EngineLosses } from './engine-losses';
import { LastWords } from './last-words';
import type { GroupView, RoundCounts, Snapshot, StageView, Tick, WayTopic } from './messages';
import { findProblems, worstLevel } from './problems';
import { CpuShares, engineViews, incidentViews, serviceView } from './service-views';

/** What was seen at one moment. */
export interface Seen {
  readonly at: number;
  readonly lag: LagView;
  readonly services: readonly ServiceLook[];
  readonly kafkaFault: string | null;
  readonly missingTopics: readonly string[];
}

/** As many as the page keeps. */
const mostChanged = 400;
/** A deadline is seldom longer; a group so far behind is worth a word. */
const secondsBehindLimit = 10;

/** Everything that the console shows, made anew at every look. */
export class ConsoleState {
  private readonly history: History;
  private readonly growth = new RecentGrowth(windowMs);
  private readonly rates = new TopicRates();
  private readonly cpu = new CpuShares();
  private readonly losses = new EngineLosses();
  private readonly lastWords = new LastWords();
  private readonly risk: RiskWatch;
  private readonly topics: Topics;
  private tick: Tick | null = null;

  constructor(
    private readonly rounds: RoundLog,
    private readonly prefix: string,
    private readonly intervalMs: number,
  ) {
    this.risk = new RiskWatch(ownGroups(prefix));
    this.history = new History(intervalMs);
    this.topics = topicsOf(prefix);
  }

  saw(seen: Seen): Tick {
    const { at, lag, services, kafkaFault } = seen;
    if (kafkaFault === null) {
      this.rates.saw(lag, at);
      this.risk.saw(lag, at);
    }
    this.growth.saw(services, at);
    this.losses.saw(services, at);
    const counts = this.counts(at);
    const figures = this.figures(seen, counts);
    this.history.add(figures, at);
    const problems = findProblems({ ...seen, counts, secondsBehindLimit });
    this.tick = {
      ...{ at, problems, level: worstLevel(problems), figures, counts },
      way: this.way(),
      ...this.processes(seen),
      groups: lag.groups.map(groupView),
      rounds: this.rounds.takeChanged(mostChanged),
    };
    return this.tick;
  }

  /** For who begins to look; null before the first look. */
  snapshot(): Snapshot | null {
    const { tick, history, prefix, intervalMs } = this;
    if (tick === null) return null;
    const past = { at: history.times, figures: history.figures };
    return { ...tick, rounds: this.rounds.latest(mostChanged), prefix, intervalMs, history: past };
  }

  counts(now: number): RoundCounts {
    const waiting = this.rounds.waiting(now);
    const overdue = waiting.filter((round) => roundState(round, now) === 'overdue').length;
    return { waiting: waiting.length, atRisk: this.risk.atRisk(waiting, now).length, overdue };
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
    const remembered = this.lastWords.of(services);
    return {
      services: services.map((look) => serviceView(look, shares.get(look.instance.name) ?? null)),
      engines: remembered.flatMap(engineViews),
      incidents: incidentViews(remembered),
    };
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
