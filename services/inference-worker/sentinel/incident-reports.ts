import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '#lib/make-folder';
import type { Incident } from './incident';

export const mostReports = 100;
export const mostReportBytes = 65_536;
/** Begins with the time, so the order of names is that of the incidents. */
export const reportName = /^\d{8}T\d{9}Z-\d+-[a-z_]+\.json$/;

/** The report as text of at most `mostReportBytes`: requests, then what the engine wrote, are left out first. */
export function reportText(incident: Incident): string {
  const shorter: readonly ((incident: Incident) => Incident)[] = [
    (whole) => whole,
    (whole) => ({ ...whole, requests: whole.requests.slice(0, 8) }),
    (whole) => ({ ...whole, requests: [], models: whole.models.slice(0, 20) }),
    (whole) => ({ ...whole, requests: [], models: [], stderrTail: whole.stderrTail.slice(-2_000) }),
  ];
  const texts = shorter.map((shorten) => () => `${JSON.stringify(shorten(incident), null, 2)}\n`);
  for (const text of texts) {
    const written = text();
    if (Buffer.byteLength(written) <= mostReportBytes) return written;
  }
  const { kind, role, at, reaction, engine } = incident;
  return `${JSON.stringify({ kind, role, at, reaction, engine }, null, 2)}\n`;
}

/** One file an incident, mode 0600, in a folder of mode 0700; the oldest go when there are more than `most`. */
export class IncidentReports {
  constructor(
    private readonly folder: string,
    private readonly most = mostReports,
  ) {}

  /** Returns the file's path. Throws the folder and what the file system says, and leaves nothing there then. */
  write(incident: Incident): string {
    const stamp = incident.at.replace(/[-:.]/g, '');
    const file = join(this.folder, `${stamp}-${incident.engine.pid}-${incident.kind}.json`);
    const unfinished = `${file}.${process.pid}.tmp`;
    try {
      makeFolder(this.folder, 0o700);
      writeFileSync(unfinished, reportText(incident), { mode: 0o600 });
      renameSync(unfinished, file);
      this.prune();
    } catch (error) {
      if (existsSync(unfinished)) rmSync(unfinished);
      throw new Error(`${this.folder}: ${(error as Error).message}`, { cause: error });
    }
    return file;
  }

  /** Names begin with the time, so their order is that of the incidents. */
  private prune(): void {
    const reports = readdirSync(this.folder)
      .filter((name) => reportName.test(name))
      .sort();
    for (const name of reports.slice(0, Math.max(0, reports.length - this.most))) {
      rmSync(join(this.folder, name), { force: true });
    }
  }
}
