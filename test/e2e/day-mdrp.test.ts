import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RoutePlanner } from '#native/planner/route-planner';
import { projectPath } from '#schemas/project-root';
import type { RunId, UnixMs } from '#schemas/brands';
import type { DayResult } from '#policy/simulation/day';
import { directDispatch } from '#policy/simulation/direct-dispatch';
import { simulateDay } from '#policy/simulation/simulate-day';
import { startPipeline, type Pipeline } from '../../launcher/pipeline';
import { planMdrpDay, type PlannedDay } from '../../launcher/day/planned-day';
import { runDay } from '../../launcher/day/run-day';
import { startStack } from '../support/stack';

const shared = process.env.MDRP_DIR ?? projectPath('..', 'shared', 'mdrp');
const instance = join(shared, 'instances', '0r50t100s1p100');
const present = existsSync(instance);
const models = [{ name: 'candidate_cost', version: '1', contentHash: '0'.repeat(64) }];

const title = present
  ? 'a real day'
  : `a real day (skipped: no ${instance}; MDRP_DIR names the folder of mdrp/)`;

(present ? describe : describe.skip)(title, () => {
  let pipeline: Pipeline;
  let out: string;
  let plan: PlannedDay;

  beforeAll(async () => {
    const { kafkaBrokers, redisUrl, topicPrefix } = startStack('day-mdrp');
    out = mkdtempSync(join(tmpdir(), 'mdrp-out-'));
    plan = await planMdrpDay(instance, 5, out);
    pipeline = await startPipeline({ inheritedEnv: process.env, kafkaBrokers, redisUrl, topicPrefix });
  }, 120_000);
  afterAll(async () => {
    await pipeline?.stop();
    if (out) rmSync(out, { recursive: true, force: true });
  }, 60_000);

  test('goes through the pipeline as in one process, and the checker accepts it', async () => {
    const { ingestUrl } = pipeline;
    const signal = new AbortController().signal;
    const run = await runDay(plan, { ingestUrl, deadlineMs: 10_000, signal, onReport: () => {} });
    expect(run.totals).toMatchObject({ late: 0, byDeadline: 0, complete: run.result.rounds });
    // The published heuristic has 32.46 at f = 5.
    expect(run.metrics.penalisedClickToDoor).toBeLessThanOrEqual(32.46);
    await plan.save(run.result);
    const checker = promisify(execFile)('python3', [join(shared, 'check.py'), instance, out, '--json']);
    const { feasible, metrics } = JSON.parse((await checker).stdout) as {
      feasible: boolean;
      metrics: Record<string, number>;
    };
    expect(feasible).toBe(true);
    expect(metrics.penalised_ctd).toBeCloseTo(run.metrics.penalisedClickToDoor, 3);
    expect(metrics.cost_per_order).toBeCloseTo(run.metrics.costPerOrder, 3);
    expect(run.result).toEqual(await inOneProcess(plan));
  }, 240_000);
});

function inOneProcess({ day }: PlannedDay): Promise<DayResult> {
  const planner = new RoutePlanner();
  const dispatch = directDispatch({ models, costShard: ({ tensors }) => planner.costShard(tensors) });
  return simulateDay({ day, runId: 'direct' as RunId, dispatch, deadlineAt: () => 1 as UnixMs });
}
