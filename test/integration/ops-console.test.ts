import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import { projectPath } from '#schemas/project-root';
import { chromiumProgram, launchChromium } from '../../bench/console/chromium';
import { startStack } from '../support/stack';
import { until } from '../support/until';

const whySkipped = chromiumProgram() === null ? 'there is no chromium here (apt-get install chromium)' : null;
if (whySkipped !== null) console.warn(`tests of the console in a browser are skipped: ${whySkipped}`);
const stack = startStack('ops-console');
const group = whySkipped === null ? describe : describe.skip;

let pipeline: Pipeline;
let browser: Browser;
let page: Page;
const faults: string[] = [];

/** A round of one courier and one order; resolves when ingest has it. */
async function send(roundId: string, deadlineMs = 30_000): Promise<void> {
  const response = await fetch(`${pipeline.ingestUrl}/v1/rounds`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ runId: 'console', roundId, zoneId: 'mitte', space: 'planar', deadline: Date.now() + deadlineMs },
      couriers: [{ courierId: 'c1', position: { x: 0, y: 0 } }],
      orders: [
        { orderId: 'o1', pickup: { point: { x: 500, y: 0 } }, dropoff: { point: { x: 900, y: 800 } } },
      ],
    }),
  });
  expect([response.status, await response.text()]).toEqual([202, expect.anything()]);
}

/** What a person with the page's keys and eyes, or a reader, can't use, by the rules of WCAG. */
async function barriers(): Promise<string[]> {
  await page.evaluate(readFileSync(projectPath('node_modules', 'axe-core', 'axe.min.js'), 'utf8'));
  const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const found = (await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(rules)} })`)) as any;
  return found.violations.map(
    ({ id, nodes }: any) => `${id}: ${nodes.map(({ html }: any) => html).slice(0, 3)}`,
  );
}

async function open(hash = ''): Promise<void> {
  await page.goto(`${pipeline.consoleUrl}/${hash}`);
}

const shows = (text: string) => page.getByText(text).filter({ visible: true }).first().waitFor();

group('the console in a browser', () => {
  beforeAll(async () => {
    const env = { ROUNDHOUSE_OPS_INTERVAL_MS: '500', ROUNDHOUSE_MAX_CLOCK_SKEW_MS: '2000' };
    const serviceEnv = { worker: { ROUNDHOUSE_INCIDENT_DIR: '.roundhouse/console-incidents' } };
    pipeline = await startPipeline({
      ...{ inheritedEnv: process.env, ...stack, counts: { ops: 1 }, env, serviceEnv, restarts: false },
    });
    browser = await launchChromium();
    page = await browser.newPage({ colorScheme: 'light', viewport: { width: 1440, height: 1000 } });
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await pipeline?.stop();
  }, 60_000);

  test('a round that goes through the pipeline shows up, with its way by its shards', async () => {
    await open();
    await shows('All is well');
    await send('breakfast-1');
    await page.getByRole('link', { name: 'breakfast-1' }).click();
    await page.getByRole('heading', { name: /Round breakfast-1/ }).waitFor();
    await page.getByRole('img', { name: /way over time/ }).waitFor();
    await page.getByText('1 shard in figures').click();
    await page.getByRole('row', { name: /solved/ }).waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Headline figures' }).waitFor();
  });

  test('the twelve figures each open a chart, by the keyboard too', async () => {
    const cards = page.locator('.figures button');
    expect(await cards.count()).toBe(12);
    await cards.first().focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Round success' }).waitFor();
    await page.getByRole('img', { name: /now 100%/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await cards.first().evaluate((card) => card.matches(':focus'))).toBe(true);
  });

  test('a round is found by a part of its id, with the keyboard alone', async () => {
    await send('lunch-7');
    await open();
    await shows('lunch-7');
    await page.keyboard.press('/');
    await page.keyboard.type('lunch');
    await page.locator('.results').getByRole('link', { name: 'lunch-7' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /Round lunch-7/ }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'The way of a round' }).waitFor();
  });

  test('an address that names no round, and text that is no text of ours, do no harm', async () => {
    const hostile = '<img src=x onerror="globalThis.harmed = true">';
    await send(`dinner ${hostile}`);
    await open(`#/round?${new URLSearchParams({ tenantId: 't', runId: 'r', roundId: hostile })}`);
    await shows('no such round is remembered here');
    await open();
    await shows(`dinner ${hostile}`);
    expect(await page.evaluate('globalThis.harmed')).toBeUndefined();
    // The one answer that is no success is the round that is not there.
    expect(faults.splice(0).filter((fault) => !fault.includes('404'))).toEqual([]);
  });

  test('without barriers, light and dark, wide and narrow', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await open();
      await page.getByRole('heading', { name: 'Consumer groups' }).waitFor();
      expect(await barriers()).toEqual([]);
      await page.getByRole('link', { name: 'lunch-7' }).click();
      await page.getByRole('img', { name: /way over time/ }).waitFor();
      expect(await barriers()).toEqual([]);
    }
    await page.setViewportSize({ width: 400, height: 800 });
    await open();
    await page.getByRole('heading', { name: 'Consumer groups' }).waitFor();
    expect(await barriers()).toEqual([]);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(400);
    await page.setViewportSize({ width: 1440, height: 1000 });
  });

  test('the theme is changed by a key, and kept', async () => {
    const theme = () => page.evaluate("document.documentElement.dataset.theme ?? 'auto'");
    await open();
    await shows('All is well');
    await page.keyboard.press('t');
    expect(await theme()).toBe('light');
    await page.keyboard.press('t');
    expect(await theme()).toBe('dark');
    await page.reload();
    expect(await theme()).toBe('dark');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('a lost engine is told with its report', async () => {
    await pipeline.kill('engine');
    const incident = page.locator('.incident').filter({ hasText: 'active engine of worker' }).first();
    await incident.click();
    await page.getByRole('heading', { name: /Incident of worker/ }).waitFor();
    await shows('SIGKILL');
    expect(await barriers()).toEqual([]);
  });

  test('a service that ends is told, with what rounds suffer and where the runbook has it', async () => {
    await open();
    await pipeline.kill('worker');
    await page.getByRole('heading', { name: 'What is wrong' }).waitFor();
    await shows('does not answer: nobody listens there');
    const link = page.getByRole('link', { name: 'RoundhouseServiceDown' });
    await link.waitFor();
    await send('stuck-1', 4_000);
    await page.getByRole('row', { name: /stuck-1.*partial/ }).waitFor();
    expect(await barriers()).toEqual([]);
    await page.goto(`${pipeline.consoleUrl}${await link.getAttribute('href')}`);
    await page.getByRole('heading', { name: 'Causes and what to do' }).waitFor();
    expect(await barriers()).toEqual([]);
    await page.goBack();
    await pipeline.restart('worker');
    await shows('All is well');
    // What is over is kept by the service, not by the page.
    await page.reload();
    await page.getByRole('heading', { name: 'Recently' }).waitFor();
    await shows('ended without a word: it was killed, or crashed');
    await shows('1 round without all plans');
    expect(await barriers()).toEqual([]);
  }, 120_000);

  test('what a page of the runbook leads to is served as well', async () => {
    await page.goto(`${pipeline.consoleUrl}/runbook/RoundhouseServiceDown`);
    for (const [link, heading] of [
      ['services.yml', 'ops/prometheus/rules/services.yml'],
      ['sizing.md', 'Sizing'],
    ] as const) {
      await page.getByRole('link', { name: link }).first().click();
      await page.getByRole('heading', { name: heading, exact: false }).first().waitFor();
      expect(await barriers()).toEqual([]);
      await page.goBack();
    }
    await open();
  });

  test('a console that is gone is told, and found again', async () => {
    // Only one that was there is missed.
    await page.getByRole('heading', { name: 'Consumer groups' }).waitFor();
    await pipeline.kill('ops');
    await shows('No connection since');
    await pipeline.restart('ops');
    await shows('All is well');
    // What it knew of before it was killed is in Redis.
    await page.getByRole('heading', { name: 'Recently' }).waitFor();
    await page.getByText('not kept over a restart').waitFor({ state: 'detached' });
    expect(faults.filter((fault) => !/ERR_|404|Failed to load/.test(fault))).toEqual([]);
    await until(async () => (await fetch(`${pipeline.consoleUrl}/readyz`)).ok, 'ready');
  }, 120_000);
});
