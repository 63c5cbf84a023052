import type { JSX } from 'preact';
import type { ServiceView, Snapshot, StageView } from '../../console/messages';
import { count, counted, duration, rate, text } from './format';
import { Icon, type IconName } from './icons';

interface StationProps {
  readonly title: string;
  readonly about: string;
  readonly services: readonly ServiceView[] | null;
}

function stationState(services: readonly ServiceView[]): IconName {
  if (services.length === 0) return 'wait';
  const ready = services.filter(({ state }) => state === 'ready').length;
  if (ready === services.length) return 'ok';
  return ready === 0 ? 'bad' : 'warn';
}

function stationWords(services: readonly ServiceView[]): string {
  if (services.length === 0) return 'no target';
  const ready = services.filter(({ state }) => state === 'ready').length;
  if (services.length === 1)
    return ready === 1 ? 'ready' : services[0]!.state === 'silent' ? 'silent' : 'not ready';
  return `${ready} of ${services.length} ready`;
}

function Station({ title, about, services }: StationProps): JSX.Element {
  const state = services === null ? 'wait' : stationState(services);
  return (
    <li class={`station ${state}`}>
      <span class="station-title">
        <Icon name={state} /> {title}
      </span>
      <span class="muted">{services === null ? '' : stationWords(services)}</span>
      <span class="station-about">{about}</span>
    </li>
  );
}

/** Moves only while messages do. */
function Track({ stage }: { stage: StageView | null }): JSX.Element {
  const isMoving = (stage?.inRate ?? 0) > 0.05;
  return (
    <span class={isMoving ? 'track moving' : 'track'} aria-hidden="true">
      <span class="cars" />
    </span>
  );
}

interface QueueProps {
  readonly topic: string;
  readonly one: string;
  readonly stage: StageView | null;
  readonly waiting?: string;
}

/** What waits in front of the next station. */
function Queue({ topic, one, stage, waiting }: QueueProps): JSX.Element {
  const behind = stage !== null && waiting === undefined && stage.secondsBehind >= 0.5;
  const words =
    stage === null
      ? ''
      : (waiting ?? (stage.waiting === 0 ? 'none waits' : `${count(stage.waiting).value} wait`));
  return (
    <li class={behind && (stage?.secondsBehind ?? 0) > 2 ? 'queue behind' : 'queue'}>
      <span class="queue-rate">
        {stage === null ? '–' : text(rate(stage.inRate))} <span class="muted">{one}</span>
      </span>
      <Track stage={stage} />
      <span class="queue-topic">{topic}</span>
      <span class="queue-waiting">
        {words}
        {behind && `, ${text(duration(stage.secondsBehind))} behind`}
      </span>
    </li>
  );
}

const nameBegins = (kind: string) => (service: ServiceView) =>
  service.name.split('@', 1)[0]!.startsWith(kind);

function servicesOf(view: Snapshot | null, service: string, kind: string): readonly ServiceView[] | null {
  if (view === null) return null;
  return view.services.filter(
    (one) => one.service === service || (one.service === null && nameBegins(kind)(one)),
  );
}

/** Ingest, workers, aggregators, and the topics between them. */
export function Way({ view }: { readonly view: Snapshot | null }): JSX.Element {
  const way = view?.way;
  const engines = view?.engines ?? [];
  const up = engines.filter(({ state }) => state === 'up').length;
  const atRisk = view?.counts.atRisk ?? 0;
  const open = view === null ? '' : `${counted(view.counts.waiting, 'round')} open`;
  return (
    <section aria-labelledby="way-title">
      <h2 id="way-title">The way of a round</h2>
      <ol class="way">
        <Queue topic="from producers" one="rounds" stage={way?.rounds ?? null} waiting={open} />
        <Station title="Ingest" about="checks, cuts" services={servicesOf(view, 'ingest', 'ingest')} />
        <Queue topic="dispatch.shards" one="shards" stage={way?.shards ?? null} />
        <Station
          title="Workers"
          about={view === null ? '' : `${up} of ${counted(engines.length, 'engine')} up`}
          services={servicesOf(view, 'inference-worker', 'worker')}
        />
        <Queue topic="dispatch.outcomes" one="outcomes" stage={way?.outcomes ?? null} />
        <Station
          title="Aggregators"
          about={atRisk > 0 ? `${counted(atRisk, 'round')} at risk` : 'joins, decides'}
          services={servicesOf(view, 'aggregator', 'aggregator')}
        />
        <Queue topic="dispatch.decisions" one="decisions" stage={way?.decisions ?? null} waiting="" />
      </ol>
    </section>
  );
}
