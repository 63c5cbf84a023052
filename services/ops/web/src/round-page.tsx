import type { ComponentChildren, JSX } from 'preact';
import type { RoundDetail, ShardTrack, Snapshot } from '../../console/messages';
import { useAnswer } from './ask';
import { BackLink } from './back-link';
import { clockWithMs, count, counted, duration, percent, text } from './format';
import { keyOf } from './merged-view';
import { decisionSeconds, timeUsed } from './round-state';
import type { Route } from './addresses';
import { StateMark } from './rounds';
import { Timeline } from './timeline';
import { stepsInWords } from './timeline-rows';

function Fact({ name, children }: { name: string; children: ComponentChildren }): JSX.Element {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function countsText(counts: Readonly<Record<string, number>>): string {
  const all = Object.entries(counts).sort(([, a], [, b]) => b - a);
  return all.length === 0
    ? 'none'
    : all.map(([name, value]) => `${value} ${name.replaceAll('_', ' ')}`).join(', ');
}

function Facts({ detail: { round, state } }: { detail: RoundDetail }): JSX.Element {
  const { decision, deadline, manifestAt, receivedAt } = round;
  const begin = receivedAt ?? manifestAt;
  return (
    <dl class="facts">
      <Fact name="State">
        <StateMark state={state} />
      </Fact>
      <Fact name="Came at">{clockWithMs(begin)}</Fact>
      <Fact name="Decided in">
        {decision === null ? '–' : text(duration(decisionSeconds(round)))}{' '}
        <span class="muted">of {text(duration((deadline - begin) / 1_000))}</span>
      </Fact>
      <Fact name="Time used">{decision === null ? '–' : text(percent(timeUsed(round, deadline)))}</Fact>
      <Fact name="Coverage">{decision === null ? '–' : text(percent(decision.coverage))}</Fact>
      <Fact name="Closed by">{decision === null ? '–' : decision.closedBy}</Fact>
      <Fact name="Zone">{round.zoneId}</Fact>
      <Fact name="Size">
        {counted(round.couriers, 'courier')}, {counted(round.orders, 'order')},{' '}
        {counted(round.candidates, 'candidate')}, {counted(round.shards, 'shard')}
      </Fact>
      {decision !== null && <Fact name="Assignments">{count(decision.assignments).value}</Fact>}
      {decision !== null && <Fact name="Left out">{countsText(decision.unassigned)}</Fact>}
      {decision !== null && <Fact name="Shards not solved">{countsText(decision.shardFaults)}</Fact>}
      {decision?.outage && <Fact name="Outage">{decision.outage}</Fact>}
      {decision !== null && decision.effort !== 'full' && <Fact name="Effort">{decision.effort}</Fact>}
      {round.traceId !== null && (
        <Fact name="Trace">
          <span class="id">{round.traceId}</span>
        </Fact>
      )}
    </dl>
  );
}

function since(begin: number, at: number | null): string {
  return at === null ? '–' : text(duration(Math.max(0, at - begin) / 1_000));
}

function ShardTable({ shards, begin }: { shards: readonly ShardTrack[]; begin: number }): JSX.Element {
  return (
    <details>
      <summary>{counted(shards.length, 'shard')} in figures, since the round came</summary>
      <div class="wide" tabIndex={0} role="region" aria-label="Shards of the round">
        <table>
          <thead>
            <tr>
              {['Shard', 'On Kafka', 'Computing from', 'to', 'Outcome', 'Candidates', 'Status', 'Host'].map(
                (name) => (
                  <th key={name} scope="col" class={name === 'Host' || name === 'Status' ? '' : 'right'}>
                    {name}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {shards.map(({ index, appendedAt, backend, answeredAt, candidates, status, code, host }) => (
              <tr key={index}>
                <th scope="row" class="right">
                  {index}
                </th>
                <td class="right">{since(begin, appendedAt)}</td>
                <td class="right">{since(begin, backend?.start ?? null)}</td>
                <td class="right">{since(begin, backend?.end ?? null)}</td>
                <td class="right">{since(begin, answeredAt)}</td>
                <td class="right">{count(candidates).value}</td>
                <td>{code ?? status ?? 'no outcome'}</td>
                <td class="id">{host ?? ''}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function Steps({ round }: Pick<RoundDetail, 'round'>): JSX.Element {
  return (
    <details>
      <summary>Steps of the services</summary>
      <ul class="steps">
        {stepsInWords(round).map(({ service, words }) => (
          <li key={`${service} ${words}`}>
            <span class="muted">{service}</span> {words}
          </li>
        ))}
      </ul>
    </details>
  );
}

const pieceKinds = [
  ['step', 'step of a service'],
  ['wait', 'waiting, or on its way'],
  ['work', 'computing'],
  ['fault', 'failed or late'],
] as const;

function Detail({ detail, now }: { detail: RoundDetail; now: number }): JSX.Element {
  const { round, shards, fault } = detail;
  return (
    <>
      <Facts detail={detail} />
      <Timeline detail={detail} now={now} />
      <ul class="legend" aria-hidden="true">
        {pieceKinds.map(([kind, words]) => (
          <li key={kind}>
            <span class={`swatch piece-${kind}`} /> {words}
          </li>
        ))}
      </ul>
      {fault !== null && (
        <p class="reason" role="status">
          Not all of it: {fault}
        </p>
      )}
      <Steps round={round} />
      <ShardTable shards={shards} begin={round.receivedAt ?? round.manifestAt} />
    </>
  );
}

type RoundRoute = Extract<Route, { page: 'round' }>;
interface RoundPageProps {
  readonly route: RoundRoute;
  readonly view: Snapshot | null;
}

/** One round, from its body to its decision. */
export function RoundPage({ route, view }: RoundPageProps): JSX.Element {
  const { tenantId, runId, roundId } = route;
  const path = `/api/round?${new URLSearchParams({ tenantId, runId, roundId })}`;
  const known = view?.rounds.find((round) => keyOf(round) === keyOf(route));
  const asked = useAnswer<RoundDetail>(path, known?.decision?.decidedAt ?? 0);
  return (
    <article class="panel page" aria-labelledby="page-title">
      <BackLink />
      <h1 id="page-title" tabIndex={-1}>
        Round <span class="id">{roundId}</span>{' '}
        <small>
          run {runId}, tenant {tenantId}
        </small>
      </h1>
      {asked.state === 'waiting' && (
        <p class="empty" role="status">
          Reading its shards from Kafka…
        </p>
      )}
      {asked.state === 'failed' && (
        <p class="empty" role="alert">
          {asked.words}
        </p>
      )}
      {asked.state === 'here' && <Detail detail={asked.value} now={view?.at ?? asked.value.round.deadline} />}
    </article>
  );
}
