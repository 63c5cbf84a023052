import type { JSX } from 'preact';
import { useAnswer } from './ask';
import { BackLink } from './back-link';
import { bytes, duration, none, text } from './format';
import type { Route } from './addresses';

/** As the sentinel wrote it (docs/sentinel.md); a report that was shortened lacks some of it. */
interface Report {
  readonly kind: string;
  readonly role: string;
  readonly reason?: string;
  readonly at: string;
  readonly reaction: string;
  readonly engine?: {
    readonly pid: number;
    readonly device: string;
    readonly exitCode: number | null;
    readonly signal: string | null;
    readonly upMs: number;
  };
  readonly requests?: readonly {
    readonly id: string;
    readonly model: string;
    readonly version: string;
    readonly bytes: number;
    readonly ageMs?: number;
    readonly tookMs?: number;
    readonly result?: string;
  }[];
  readonly memory?: { readonly residentBytes: number | null; readonly machineFreeBytes: number };
  readonly stderrTail?: string;
}

function factsOf({ kind, role, at, reaction, engine, memory }: Report): [string, string][] {
  const exitCode = engine?.exitCode ?? null;
  const end = engine?.signal ?? (exitCode === null ? none : `exit code ${exitCode}`);
  return [
    ['Kind', kind.replaceAll('_', ' ')],
    ['Role', role],
    ['Seen at', at],
    ['Reaction', reaction.replaceAll('_', ' ')],
    ['Process', engine === undefined ? none : `${engine.pid} on ${engine.device}`],
    ['Ended by', end],
    ['Was up', engine === undefined ? none : text(duration(engine.upMs / 1_000))],
    ['Memory', text(bytes(memory?.residentBytes ?? null))],
    ['Free then', text(bytes(memory?.machineFreeBytes ?? null))],
  ];
}

function Requests({ requests = [] }: Pick<Report, 'requests'>): JSX.Element | null {
  if (requests.length === 0) return null;
  return (
    <>
      <h2>Requests, those under way first</h2>
      <div class="wide" tabIndex={0} role="region" aria-label="Requests">
        <table>
          <thead>
            <tr>
              <th scope="col">Request</th>
              <th scope="col">Model</th>
              <th scope="col" class="right">
                Bytes
              </th>
              <th scope="col">Result</th>
            </tr>
          </thead>
          <tbody>
            {requests.map(({ id, model, version, bytes: size, result }, index) => (
              <tr key={index}>
                <td class="id">{id}</td>
                <td>
                  {model} {version}
                </td>
                <td class="right">{text(bytes(size))}</td>
                <td>{result ?? 'under way'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function ReportView({ report }: { report: Report }): JSX.Element {
  return (
    <>
      <p class="reason">{report.reason ?? ''}</p>
      <p>
        What to do:{' '}
        <a class="runbook" href="/runbook/RoundhouseEngineLost" target="_blank">
          RoundhouseEngineLost
        </a>
      </p>
      <dl class="facts">
        {factsOf(report).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {report.stderrTail !== undefined && report.stderrTail !== '' && (
        <>
          <h2 id="stderr-title">What it wrote last</h2>
          <pre class="code" tabIndex={0} role="region" aria-labelledby="stderr-title">
            {report.stderrTail}
          </pre>
        </>
      )}
      <Requests {...(report.requests && { requests: report.requests })} />
      <details>
        <summary>The whole report</summary>
        <pre class="code" tabIndex={0} role="region" aria-label="The whole report">
          {JSON.stringify(report, null, 2)}
        </pre>
      </details>
    </>
  );
}

type IncidentRoute = Extract<Route, { page: 'incident' }>;

/** What the sentinel saw and did when an engine was given up. */
export function IncidentPage({ route: { worker, id } }: { readonly route: IncidentRoute }): JSX.Element {
  const asked = useAnswer<Report>(`/api/incident?${new URLSearchParams({ worker, id })}`);
  return (
    <article class="panel page" aria-labelledby="page-title">
      <BackLink />
      <h1 id="page-title" tabIndex={-1}>
        Incident of {worker} <small class="id">{id}</small>
      </h1>
      {asked.state === 'waiting' && (
        <p class="empty" role="status">
          Reading its report…
        </p>
      )}
      {asked.state === 'failed' && (
        <p class="empty" role="alert">
          {asked.words}
        </p>
      )}
      {asked.state === 'here' && <ReportView report={asked.value} />}
    </article>
  );
}
