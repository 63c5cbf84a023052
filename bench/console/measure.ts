import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { quantile } from '#policy/simulation/statistics';
import type { Pipeline } from '#launcher/pipeline';
import { cpuSeconds } from '../pipeline/process-usage';

const scrapes = 50;

/** Per cent of one processor that a process used meanwhile. */
export async function cpuPercent(pid: number, seconds: number): Promise<number> {
  const before = cpuSeconds(pid);
  const startedAt = performance.now();
  await sleep(seconds * 1_000);
  return (100 * (cpuSeconds(pid) - before)) / ((performance.now() - startedAt) / 1_000);
}

/** The newest process of the console: it may have been started again. */
export function consolePid(pipeline: Pipeline): number {
  return pipeline.processes().find(({ name }) => name === 'ops')!.pid!;
}

export interface Visit {
  readonly paintedMs: number;
  /** With all its figures. */
  readonly wholeMs: number;
}

async function visit(page: Page, url: string): Promise<Visit> {
  await page.goto(url);
  await page.getByRole('heading', { name: 'Consumer groups' }).waitFor();
  const wholeMs = (await page.evaluate('performance.now()')) as number;
  const painted = "performance.getEntriesByName('first-contentful-paint')[0].startTime";
  return { paintedMs: (await page.evaluate(painted)) as number, wholeMs };
}

/** Each by a browser that has nothing of the page yet. */
export async function visits(browser: Browser, url: string, count: number): Promise<Visit[]> {
  const all: Visit[] = [];
  for (let i = 0; i < count; i++) {
    const context = await browser.newContext();
    all.push(await visit(await context.newPage(), url));
    await context.close();
  }
  return all;
}

/** Per cent of one processor that the page's own thread used, of it what scripts did. */
export async function pagePercent(page: Page, seconds: number): Promise<{ tasks: number; script: number }> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const look = async (): Promise<Record<string, number>> => {
    const { metrics } = await session.send('Performance.getMetrics');
    return Object.fromEntries(metrics.map(({ name, value }) => [name, value]));
  };
  const before = await look();
  await sleep(seconds * 1_000);
  const after = await look();
  const percent = (name: string): number =>
    (100 * (after[name]! - before[name]!)) / (after['Timestamp']! - before['Timestamp']!);
  return { tasks: percent('TaskDuration'), script: percent('ScriptDuration') };
}

export async function scrapeMs(url: string): Promise<{ p50: number; max: number; bytes: number }> {
  const times: number[] = [];
  let bytes = 0;
  for (let i = 0; i < scrapes; i++) {
    const startedAt = performance.now();
    bytes = (await (await fetch(`${url}/metrics`)).text()).length;
    times.push(performance.now() - startedAt);
  }
  return { p50: quantile(times, 0.5), max: Math.max(...times), bytes };
}
