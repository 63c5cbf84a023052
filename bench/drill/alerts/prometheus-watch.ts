import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort, loopback } from '#launcher/ports';
import { toolchainPath } from '#launcher/toolchain';
import { endsWithParent } from '#lib/ends-with-parent';
import { projectPath } from '#schemas/project-root';
import type { Stand } from '../stand/stand';
import { until } from '../until';
import type { AlertWatch, FiredAlerts } from './alert-watch';
import { scaledRules } from './scaled-rules';

/** Minutes of the rules are three seconds of a drill. */
export const timesFaster = 20;
/** A scrape may wait for a look at readiness. */
const scrapeMs = 1_000;
const evaluateMs = 500;
/** So long after a drill its alerts may still come. */
const patienceMs = 12_000;

function scrapeConfig(stand: Stand): string {
  const targets = stand.pipeline
    .processes()
    .flatMap(({ name, ports: { http } }) =>
      http === undefined ? [] : [{ name, target: `${loopback}:${http}` }],
    );
  const jobs = targets.map(
    ({ name, target }) =>
      `  - job_name: roundhouse-${name}\n    static_configs: [{ targets: ['${target}'] }]\n`,
  );
  const interval = `global:\n  scrape_interval: ${scrapeMs}ms\n  scrape_timeout: ${scrapeMs}ms\n  evaluation_interval: ${evaluateMs}ms\n`;
  return `${interval}rule_files: ['rules/*.yml']\nscrape_configs:\n${jobs.join('')}`;
}

function writeConfig(folder: string, stand: Stand): string {
  const rules = projectPath('ops', 'prometheus', 'rules');
  mkdirSync(join(folder, 'rules'));
  for (const name of readdirSync(rules)) {
    const text = readFileSync(join(rules, name), 'utf8');
    writeFileSync(join(folder, 'rules', name), scaledRules(text, timesFaster));
  }
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, scrapeConfig(stand));
  return file;
}

class PrometheusWatch implements AlertWatch {
  constructor(
    private readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  private async names(query: string, at: number): Promise<string[]> {
    const parameters = new URLSearchParams({ query, time: String(at / 1_000) });
    const response = await fetch(`${this.url}/api/v1/query?${parameters.toString()}`);
    const { data } = (await response.json()) as { data?: { result: { metric: { alertname?: string } }[] } };
    const found = (data?.result ?? []).flatMap(({ metric }) => metric.alertname ?? []);
    return [...new Set(found)].sort();
  }

  /** Every target was scraped, and what fired for want of that no longer does. */
  async settled(targets: number): Promise<void> {
    const areUp = async () => (await this.targetsUp()) === targets && (await this.firing()).length === 0;
    await until(areUp, `${targets} targets are scraped, and nothing fires`, 30_000).catch(() => undefined);
  }

  private async targetsUp(): Promise<number> {
    const response = await fetch(`${this.url}/api/v1/query?query=count(up==1)`);
    const { data } = (await response.json()) as { data?: { result: { value: [number, string] }[] } };
    return Number(data?.result[0]?.value[1] ?? 0);
  }

  firing(): Promise<string[]> {
    return this.names('ALERTS{alertstate="firing"}', Date.now());
  }

  async calm(names: readonly string[]): Promise<readonly string[]> {
    const isCalm = async () => !(await this.firing()).some((name) => names.includes(name));
    await until(isCalm, `${names.join(', ')} no longer fires`, 40_000).catch(() => undefined);
    return this.firing();
  }

  async judge(
    expected: readonly string[],
    from: number,
    to: number,
    already: readonly string[] = [],
  ): Promise<FiredAlerts> {
    const during = async (end: number) => {
      const window = Math.max(1_000, end - from);
      return this.names(`max_over_time(ALERTS{alertstate="firing"}[${window}ms])`, end);
    };
    for (;;) {
      const all = await during(Date.now());
      const fired = all.filter((name) => expected.includes(name) || !already.includes(name));
      const lacking = expected.filter((name) => !fired.includes(name));
      if (lacking.length === 0 || Date.now() > to + patienceMs) return { expected, fired, lacking };
      await sleep(evaluateMs);
    }
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Null where there is no Prometheus, which is told. */
export async function startAlertWatch(
  stand: Stand,
  note: (text: string) => void,
): Promise<PrometheusWatch | null> {
  const program = toolchainPath(process.env, 'prometheus', 'prometheus');
  if (!existsSync(program)) {
    note(`nobody looks at the alerts: no ${program} (npm run setup)`);
    return null;
  }
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-prometheus-'));
  const port = await freePort();
  const url = `http://${loopback}:${port}`;
  const flags = [
    `--config.file=${writeConfig(folder, stand)}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${loopback}:${port}`,
  ];
  const [command, ...args] = endsWithParent([program, ...flags]);
  let said = '';
  const child = spawn(command!, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.on('data', (bytes: Buffer) => (said = (said + bytes.toString()).slice(-4_000)));
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended with ${child.exitCode}: ${said}`);
    return fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await until(isReady, 'Prometheus is ready', 30_000);
  const watch = new PrometheusWatch(url, child, folder);
  await watch.settled(stand.pipeline.processes().length);
  return watch;
}
