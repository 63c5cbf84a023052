import type { JSX } from 'preact';
import type { EngineView, IncidentView, ServiceView, Snapshot } from '../../console/messages';
import { ago, bytes, clock, count, percent, text } from './format';
import { Icon } from './icons';
import { incidentAddress } from './addresses';

const engineIcons = { up: 'ok', down: 'bad', handed_over: 'bad', unknown: 'wait' } as const;
const engineWords = {
  up: 'up',
  down: 'down',
  handed_over: 'work handed over',
  unknown: 'not known',
} as const;
type EngineState = keyof typeof engineIcons;

function EngineRow({ engine }: { engine: EngineView }): JSX.Element {
  const state = engine.state as EngineState;
  const facts = [
    engine.device,
    engine.pid === null ? '' : `pid ${engine.pid}`,
    engine.incarnation > 1 ? `${engine.incarnation - 1} before it` : '',
    engine.standby ? 'standby warm' : '',
  ].filter((fact) => fact !== '');
  return (
    <li class="machine">
      <span class={`state ${engineIcons[state]}`}>
        <Icon name={engineIcons[state] ?? 'warn'} />
        <strong>{engine.id}</strong> <span class="muted">of {engine.worker}</span>
      </span>
      <span class="machine-right">{engineWords[state] ?? engine.state}</span>
      <span class="muted">{facts.join(' · ')}</span>
      <span class="machine-right muted">
        {count(engine.queued).value} queued · {count(engine.inCore).value} at work
      </span>
      {engine.reason !== '' && <span class="reason">{engine.reason}</span>}
    </li>
  );
}

const serviceIcons = { ready: 'ok', not_ready: 'bad', silent: 'bad' } as const;
const serviceWords = { ready: 'ready', not_ready: 'not ready', silent: 'silent' } as const;

function ServiceRow({ service, now }: { service: ServiceView; now: number }): JSX.Element {
  const { name, state, version, startedAt, residentBytes, cpu, reasons, warnings } = service;
  const icon = state === 'ready' && warnings.length > 0 ? 'warn' : serviceIcons[state];
  return (
    <li class="machine">
      <span class={`state ${icon}`}>
        <Icon name={icon} />
        <strong>{name}</strong>
      </span>
      <span class="machine-right">{serviceWords[state]}</span>
      <span class="muted">
        {version === null ? '' : `version ${version}`}
        {startedAt === null ? '' : ` · started ${ago(startedAt, now)}`}
      </span>
      <span class="machine-right muted">
        {residentBytes === null ? '' : text(bytes(residentBytes))}
        {cpu === null ? '' : ` · ${text(percent(cpu))} CPU`}
      </span>
      {[...reasons, ...warnings].map((words) => (
        <span key={words} class="reason">
          {words}
        </span>
      ))}
    </li>
  );
}

export function Engines({ view }: { readonly view: Snapshot }): JSX.Element {
  return (
    <section aria-labelledby="engines-title" class="panel">
      <h2 id="engines-title">Engines</h2>
      {view.engines.length === 0 && <p class="empty">No worker has told of one.</p>}
      <ul class="machines">
        {view.engines.map((engine) => (
          <EngineRow key={`${engine.worker} ${engine.id}`} engine={engine} />
        ))}
      </ul>
    </section>
  );
}

export function Services({ view }: { readonly view: Snapshot }): JSX.Element {
  return (
    <section aria-labelledby="services-title" class="panel">
      <h2 id="services-title">Services</h2>
      <ul class="machines">
        {view.services.map((service) => (
          <ServiceRow key={service.name} service={service} now={view.at} />
        ))}
      </ul>
    </section>
  );
}

function IncidentRow({ incident, now }: { incident: IncidentView; now: number }): JSX.Element {
  const { id, kind, role, at, worker, reaction, reason } = incident;
  const time = Date.parse(at);
  return (
    <li>
      <a class="incident" href={incidentAddress(worker, id)}>
        <strong>{kind.replaceAll('_', ' ')}</strong>
        <span class="machine-right muted" title={Number.isNaN(time) ? at : clock(time)}>
          {Number.isNaN(time) ? at : ago(time, now)}
        </span>
        <span class="muted">
          {role} engine of {worker} · {reaction.replaceAll('_', ' ')}
        </span>
        <span class="reason">{reason}</span>
      </a>
    </li>
  );
}

const listed = 6;

export function Incidents({ view }: { readonly view: Snapshot }): JSX.Element {
  const { incidents, at } = view;
  return (
    <section aria-labelledby="incidents-title" class="panel">
      <h2 id="incidents-title">
        Incidents{' '}
        <small>{incidents.length > listed ? `the last ${listed} of ${incidents.length}` : ''}</small>
      </h2>
      {incidents.length === 0 && <p class="empty">No engine was given up.</p>}
      <ul class="incidents">
        {incidents.slice(0, listed).map((incident) => (
          <IncidentRow key={incident.id} incident={incident} now={at} />
        ))}
      </ul>
    </section>
  );
}
