import { readFileSync } from 'node:fs';
import { freemem } from 'node:os';
import { projectPath } from '#schemas/project-root';
import { shownText } from '#schemas/shown-text';
import type { Circuit } from './circuit';
import { findCoreFile } from './core-file';
import type { EngineLoss, EngineRole, Incident, Reaction } from './incident';
import type { WatchedEngine } from './watched-engine';

export interface Seen {
  readonly role: EngineRole;
  readonly reaction: Reaction;
  readonly circuit: Circuit;
  /** performance.now() */
  readonly lostAt: number;
  readonly at: Date;
  readonly requests: Incident['requests'];
}

const mostModels = 64;
let version: string | undefined;

function ownVersion(): string {
  version ??= (JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as { version: string }).version;
  return version;
}

/** What is to be reported of an engine that is gone. */
export function engineIncident(
  engine: WatchedEngine,
  { kind, reason, silence }: EngineLoss,
  seen: Seen,
  memoryLimitBytes: number,
): Incident {
  const { pid } = engine.process;
  const { code, signal } = engine.exit;
  const { memory } = engine.health;
  const { state, strikes } = seen.circuit;
  const ms = (value: number): number => Math.round(value);
  return {
    kind,
    role: seen.role,
    reason: shownText(engine.described(reason), 2_000),
    at: seen.at.toISOString(),
    reaction: seen.reaction,
    engine: {
      pid,
      device: engine.process.deviceKind,
      exitCode: code,
      signal,
      startMs: engine.readyAt === null ? null : ms(engine.readyAt - engine.startedAt),
      upMs: engine.readyAt === null ? 0 : ms(seen.lostAt - engine.readyAt),
    },
    silence: silence ?? null,
    requests: seen.requests,
    stderrTail: engine.process.words.text(),
    core: findCoreFile(pid, signal),
    memory: {
      residentBytes: memory?.residentBytes ?? null,
      sharedBytes: memory?.sharedBytes ?? null,
      limitBytes: memoryLimitBytes,
      machineFreeBytes: freemem(),
    },
    models: engine.models.slice(0, mostModels).map(({ name, version: of, state: is }) => ({
      name: shownText(name, 100),
      version: of,
      state: is,
    })),
    circuit: { state, strikes },
    versions: { roundhouse: ownVersion(), node: process.version },
  };
}
