import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Incident } from '../sentinel/incident';
import { reportName } from '../sentinel/incident-reports';

/** A report without what was going on: its requests, models, memory and words of the engine. */
export interface IncidentSummary extends Pick<Incident, 'kind' | 'role' | 'reason' | 'at' | 'reaction'> {
  /** Its file's name. */
  readonly id: string;
  readonly engine: Pick<Incident['engine'], 'pid' | 'device' | 'exitCode' | 'signal' | 'upMs'> | null;
}

const mostListed = 50;

/** Reads the reports that the sentinels of this machine have left; each file once for the list. */
export class IncidentListing {
  private known = new Map<string, IncidentSummary | null>();

  constructor(private readonly folder: string) {}

  /** The newest first. */
  latest(): IncidentSummary[] {
    const ids = this.ids().slice(-mostListed);
    this.known = new Map(ids.map((id) => [id, this.known.get(id) ?? this.summaryOf(id)]));
    return [...this.known.values()].filter((summary) => summary !== null).reverse();
  }

  /** The whole report; null where there is none of that name. */
  report(id: string): Incident | null {
    if (!reportName.test(id)) return null;
    try {
      return JSON.parse(readFileSync(join(this.folder, id), 'utf8')) as Incident;
    } catch {
      return null;
    }
  }

  private ids(): string[] {
    try {
      return readdirSync(this.folder)
        .filter((name) => reportName.test(name))
        .sort();
    } catch {
      return [];
    }
  }

  /** A report that was shortened to fit may lack its reason. */
  private summaryOf(id: string): IncidentSummary | null {
    const report = this.report(id);
    if (report === null) return null;
    const { kind, role, reason = '', at, reaction, engine } = report;
    if (engine === undefined) return { id, kind, role, reason, at, reaction, engine: null };
    const { pid, device, exitCode, signal, upMs } = engine;
    return { id, kind, role, reason, at, reaction, engine: { pid, device, exitCode, signal, upMs } };
  }
}
