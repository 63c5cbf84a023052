import { setTimeout as sleep } from 'node:timers/promises';
import { startPipeline } from '#launcher/pipeline';
import { runCommand } from '#lib/command-line';
import { quantile } from '#policy/simulation/statistics';
import { RoundhouseError } from '#schemas/errors';
import { chromiumProgram, launchChromium } from './chromium';
import { consolePid, cpuPercent, pagePercent, scrapeMs, visits } from './measure';
import { parseOptions, usage, type ConsoleBenchOptions } from './options';

/** Until what happens at a start is over. */
const settleMs = 10_000;

const rounded = (value: number): number => Math.round(value * 100) / 100;

async function bench({ seconds, visits: count }: ConsoleBenchOptions): Promise<void> {
  if (chromiumProgram() === null)
    throw new RoundhouseError('DEPENDENCY_ABSENT', 'there is no chromium here (apt-get install chromium)');
  console.error('starting a pipeline');
  const pipeline = await startPipeline({ inheritedEnv: process.env, counts: { ops: 1 } });
  const browser = await launchChromium();
  try {
    await sleep(settleMs);
    console.error(`nobody looks, ${seconds} s`);
    const alone = await cpuPercent(consolePid(pipeline), seconds);
    console.error(`${count} visits`);
    const all = await visits(browser, pipeline.consoleUrl, count);
    const page = await browser.newPage();
    await page.goto(pipeline.consoleUrl);
    await sleep(settleMs);
    console.error(`one looks, ${seconds} s`);
    const [watched, shown] = await Promise.all([
      cpuPercent(consolePid(pipeline), seconds),
      pagePercent(page, seconds),
    ]);
    const painted = all.map(({ paintedMs }) => paintedMs);
    const whole = all.map(({ wholeMs }) => wholeMs);
    const scrape = await scrapeMs(pipeline.consoleUrl);
    console.log(
      JSON.stringify({
        serviceCpuPercent: { alone: rounded(alone), watched: rounded(watched) },
        pageCpuPercent: { tasks: rounded(shown.tasks), script: rounded(shown.script) },
        paintedMs: { p50: Math.round(quantile(painted, 0.5)), max: Math.round(Math.max(...painted)) },
        wholeMs: { p50: Math.round(quantile(whole, 0.5)), max: Math.round(Math.max(...whole)) },
        scrapeMs: { p50: rounded(scrape.p50), max: rounded(scrape.max), bytes: scrape.bytes },
      }),
    );
  } finally {
    await browser.close();
    await pipeline.stop();
  }
}

void runCommand({ usage, parse: parseOptions, run: bench });
