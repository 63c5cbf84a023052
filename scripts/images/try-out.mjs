import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { projectRoot } from '../setup/places.mjs';
import { inNetwork } from './daemon.mjs';
import { answered } from './panels.mjs';
import { ours, Pipeline } from './pipeline.mjs';

const rounds = 20;
const api = 'http://127.0.0.1:8080';
const prometheus = 'http://127.0.0.1:9090';
const consoleUrl = 'http://127.0.0.1:8060';

/** Starts the Compose file, uses it as its reader would, and stops it; sentences for what doesn't hold. */
export async function tryOut(daemon, image, say) {
  const pipeline = new Pipeline(daemon, image);
  const faults = [];
  const step = async (name, make) => {
    say(name);
    const value = await make();
    faults.push(...(Array.isArray(value) ? value : []).map((fault) => `${name}: ${fault}`));
    return value;
  };
  try {
    const begun = Date.now();
    await step('up', () => pipeline.up(['broker', 'redis', ...ours, 'prometheus']));
    await step('health', () => pipeline.healthy(['broker', 'redis', ...ours]));
    const secondsToHealthy = Math.round((Date.now() - begun) / 1000);
    await step('containers', () => pipeline.faults());
    await step('two workers', () => twoWorkers(pipeline));
    const decided = await step('rounds', () => decideRounds(pipeline));
    if (decided.decided < rounds || decided.whole === 0) faults.push(`rounds: ${JSON.stringify(decided)}`);
    await step('console', () => looked(pipeline));
    const { faults: unanswered, ...dashboards } = await step('dashboards', () => panels(pipeline));
    faults.push(...unanswered);
    const residentMegabytes = await pipeline.residentMegabytes();
    await step('tools', () => tools(pipeline));
    await step('stop', () => pipeline.stop());
    return { secondsToHealthy, rounds: decided, residentMegabytes, dashboards, faults };
  } finally {
    await pipeline.down();
  }
}

/** `docker compose up --scale worker=2`: one more, well, and seen by Prometheus. */
async function twoWorkers(pipeline) {
  await pipeline.up(['worker'], ['--no-recreate', '--scale', 'worker=2']);
  await pipeline.healthy(['worker']);
  await sleep(15_000);
  const [text] = await pipeline.fetched([
    `${prometheus}/api/v1/query?query=${encodeURIComponent('sum by (job) (up)')}`,
  ]);
  const up = Object.fromEntries(
    JSON.parse(text).data.result.map(({ metric, value }) => [metric.job, value[1]]),
  );
  const expected = { ingest: '1', worker: '2', aggregator: '1', ops: '1' };
  return Object.entries(expected)
    .filter(([service, count]) => up[`roundhouse-${service}`] !== count)
    .map(([service, count]) => `Prometheus sees ${up[`roundhouse-${service}`] ?? 0} of ${count} ${service}`);
}

/**
 * examples/produce-round.ts against the published port: how many rounds were decided, and how many in time of all their
 * candidates. It gives them three seconds, which a busy machine may need.
 */
async function decideRounds({ within }) {
  const counts = { submitted: rounds, decided: 0, whole: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const program = join(projectRoot, 'dist', 'examples', 'produce-round.js');
    const { code, stdout } = await inNetwork(within, process.execPath, [program, api], { mayFail: true });
    if (code === 0 && stdout.startsWith('[')) counts.decided += 1;
    if (code === 0 && stdout.includes('"courierId"')) counts.whole += 1;
    await sleep(1_500);
  }
  return counts;
}

async function looked(pipeline) {
  const [page] = await pipeline.fetched([consoleUrl]);
  const asked = [...page.matchAll(/(?:src|href)="(\/?[^"#:]+)"/g)].map(([, path]) => path);
  await pipeline.fetched(asked.map((path) => new URL(path, consoleUrl).href));
  return asked.length > 0 ? [] : ['the page asks for no script'];
}

/** At the second when the last round was decided, once Prometheus has been there. */
async function panels(pipeline) {
  const at = Math.floor(Date.now() / 1000) - 5;
  return answered((paths) => pipeline.fetched(paths.map((path) => `${prometheus}${path}`)), at);
}

/** The one-shot commands of docs/deployment.md. */
async function tools(pipeline) {
  const run = (...words) => pipeline.compose(['run', '--rm', '-T', ...words], { mayFail: true });
  const commands = [
    ['dead-letters', await run('dead-letters')],
    ['replay record', await run('replay', 'record', '--out', '/recordings/today', '--from', '1h')],
  ];
  return commands
    .filter(([, { code }]) => code !== 0)
    .map(([name, { code, stderr }]) => `${name} ended with ${code}: ${stderr.trim().split('\n').at(-1)}`);
}
