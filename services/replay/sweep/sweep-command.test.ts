import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RoundhouseError } from '#schemas/errors';
import { projectPath } from '#schemas/project-root';
import { parseSweep } from './options';
import { pointDay } from './point-day';
import { openSweepDay } from './sweep-day';
import { sweepCommand } from './sweep-command';
import type { SweepAnswer } from './sweep-worker';
import { askAll } from './worker-pool';

let folder: string;
let lines: string[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sweep-'));
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string) => join(folder, name);
const put = (name: string, text: string) => writeFileSync(at(name), text);
const tell = (line: string) => void lines.push(line);
const place = {
  env: { ROUNDHOUSE_MODELS_DIR: projectPath('models') },
  signal: new AbortController().signal,
  tell,
  tellError: tell,
};
const terminal = { write: () => true };
const sweep = (...argv: string[]) =>
  sweepCommand(parseSweep([at('space.json'), ...argv, '--jobs', '2']), place, terminal);

jest.setTimeout(60_000);

/** Two orders of one restaurant for a courier beside it. */
function putTables(name: string, readyAt: number): string {
  mkdirSync(at(name));
  put(
    `${name}/orders.csv`,
    [
      'orderId,placedAt,readyAt,pickupPlaceId,pickupX,pickupY,dropoffX,dropoffY',
      `a,36000,${readyAt},R,0,0,900,0`,
      `b,36100,${readyAt},R,0,0,0,1200`,
    ].join('\n'),
  );
  put(`${name}/couriers.csv`, 'courierId,x,y,onAt,offAt,vehicle\nk,10,0,36000,50000,bike\n');
  put(`${name}/settings.json`, '{"space":"planar"}');
  return at(name);
}

function putMdrp(name: string): string {
  mkdirSync(at(name));
  const orders = 'o1\t1000\t0\t10\tr1\t25\no2\t900\t0\t31\tr1\t40\n';
  put(`${name}/orders.txt`, `order\tx\ty\tplacement_time\trestaurant\tready_time\n${orders}`);
  put(`${name}/restaurants.txt`, 'restaurant\tx\ty\nr1\t0\t0\n');
  put(`${name}/couriers.txt`, 'courier\tx\ty\ton_time\toff_time\nc1\t5\t5\t0\t240\n');
  const head =
    'meters_per_minute\tpickup service minutes\tdropoff service minutes\ttarget click-to-door\t' +
    'maximum click-to-door\tpay per order\tguaranteed pay per hour';
  put(`${name}/instance_parameters.txt`, `${head}\n320\t4\t4\t40\t90\t10\t15\n`);
  return at(name);
}

const results = () => readFileSync(at('out/results.jsonl'), 'utf8').trim().split('\n');

describe('the command', () => {
  test('days of both kinds, a table, and on with it where it was stopped', async () => {
    put('space.json', JSON.stringify({ couriersPerBundle: [1, 2] }));
    const argv = ['--day', putTables('t', 36_600), '--day', putMdrp('m'), '--out', at('out')];
    expect(await sweep(...argv)).toBe(0);
    // Three points (one as it is) of two days.
    expect(results()).toHaveLength(6);
    expect(lines[0]).toMatch(/^couriersPerBundle +penalisedClickToDoor /);
    expect(lines.join('\n')).toContain('chosen without these days:');
    const table = readFileSync(at('out/table.csv'), 'utf8');
    expect(JSON.parse(readFileSync(at('out/summary.json'), 'utf8'))).toMatchObject({
      heldOut: { length: 2 },
    });

    // The last result was being written when the process ended: it is got again, the others stand.
    const all = readFileSync(at('out/results.jsonl'), 'utf8');
    writeFileSync(at('out/results.jsonl'), all.slice(0, -20));
    lines.length = 0;
    expect(await sweep(...argv, '--json')).toBe(0);
    expect(lines[0]).toBe('5 of 6 are there already');
    expect(results()).toHaveLength(6);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ by: 'penalisedClickToDoor' });
    const withoutSeconds = (text: string) => text.replace(/[\d.]+$/gm, '');
    expect(withoutSeconds(readFileSync(at('out/table.csv'), 'utf8'))).toBe(withoutSeconds(table));
  });

  test.each(['mean', 'network'])('when meals are ready is known by %s alone', async (ready) => {
    put('space.json', JSON.stringify({ couriersPerBundle: [1] }));
    const argv = ['--day', putTables('t', 36_900), '--out', at('out')];
    expect(await sweep(...argv, '--ready', ready)).toBe(0);
    expect(JSON.parse(results()[0]!)).toMatchObject({ metrics: { delivered: 2 } });
    await expect(sweep(...argv)).rejects.toThrow('with another f or --ready');
  });

  test('a policy that is none, before anything runs', async () => {
    put(
      'space.json',
      JSON.stringify({ 'weights.latenes': [1], 'day.speed': [2], 'day.demand.memorySeconds': [60] }),
    );
    const argv = ['--day', putTables('t', 36_600), '--out', at('out')];
    await expect(sweep(...argv)).rejects.toThrow(/day.speed[^]*a day with expected orders[^]*latenes/);
    // A range without steps, one without an end and a name that is none, of two days: each once, in one turn.
    const space = { latenes: [1], 'weights.freshness': { from: 1, to: 2 }, uncoveredOrderCost: { from: 1 } };
    put('space.json', JSON.stringify(space));
    const error: unknown = await sweep(...argv, '--day', putMdrp('m')).catch((caught: unknown) => caught);
    expect((error as RoundhouseError).faults.map(({ path }) => path)).toEqual([
      expect.stringContaining('uncoveredOrderCost') as string,
      'weights.freshness',
      expect.stringContaining('latenes') as string,
    ]);
    put('space.json', '{');
    await expect(sweep(...argv)).rejects.toThrow('a file of JSON');
    await expect(sweep('--day', at('none'), '--out', at('out'))).rejects.toThrow('there is no such folder');
  });

  test('folders of something else, of other days, broken results, days of one name', async () => {
    put('space.json', JSON.stringify({ couriersPerBundle: [1] }));
    const argv = ['--day', putTables('t', 36_600), '--out', at('out')];
    expect(await sweep(...argv)).toBe(0);
    await expect(sweep(...argv.with(1, putTables('u', 36_700)))).rejects.toThrow('a sweep of other days');
    appendFileSync(at('out/results.jsonl'), 'broken\n');
    await expect(sweep(...argv)).rejects.toThrow('results.jsonl:3 is no JSON');
    await expect(sweep('--day', at('t'), '--out', at('u'))).rejects.toThrow(
      'something in it that is no sweep',
    );
    await expect(sweep('--day', at('t'), '--out', at('space.json'))).rejects.toThrow("can't be used (");
    await expect(sweep('--day', at('t'), '--day', `${at('t')}/.`, '--out', at('o'))).rejects.toThrow(
      'name t both',
    );
  });
});

describe('parameters of a day', () => {
  test('of the policy, the day and its expected orders; null takes away', async () => {
    const { day } = await openSweepDay(putMdrp('m'), 5);
    const view = { asOf: day.startsAt, couriers: [], orders: [] };
    expect(day.policyAt(view).prepositioning).toBeDefined();
    const changed = pointDay(day, {
      'weights.freshness': 3,
      prepositioning: null,
      'day.shiftLookaheadSeconds': 60,
      'day.demand.memorySeconds': 100,
    });
    expect(changed.policyAt(view)).toMatchObject({ weights: { freshness: 3, lateness: 1 } });
    expect(changed.policyAt(view).prepositioning).toBeUndefined();
    expect(changed.shiftLookaheadSeconds).toBe(60);
    expect(changed.demand).toMatchObject({ ...day.demand, memorySeconds: 100 });
    expect(pointDay(day, {}).policyAt(view)).toEqual(day.policyAt(view));
    expect(() => pointDay(day, { 'day.demand.memorySeconds': 0 })).toThrow('a number from 1 to 86400');
  });
});

describe('processes', () => {
  const task = (name: string) => ({
    folder: at(name),
    roundMinutes: 5,
    point: {},
    name,
    ready: 'known' as const,
    modelsDir: '',
  });
  const answers: SweepAnswer[] = [];
  const take = (_: unknown, found: SweepAnswer) => void answers.push(found);
  beforeEach(() => (answers.length = 0));

  test('what a day fails with is its answer', async () => {
    await askAll([task('none')], { jobs: 1, signal: place.signal }, take);
    expect(answers).toEqual([{ error: expect.stringContaining('MDRP_INVALID: ') }]);
  });

  test('one that dies is an answer, and the next task gets another', async () => {
    put('dies.js', "process.on('message', () => process.exit(3));");
    await askAll([task('a'), task('b')], { jobs: 1, signal: place.signal, main: at('dies.js') }, take);
    expect(answers).toEqual([{ error: 'its process ended with 3' }, { error: 'its process ended with 3' }]);
  });

  test('an abort ends those that are at work', async () => {
    const write = `require('node:fs').writeFileSync(${JSON.stringify(at('pid'))}, String(process.pid))`;
    put('hangs.js', `process.on('message', () => ${write});`);
    const abort = new AbortController();
    const asked = askAll([task('a')], { jobs: 1, signal: abort.signal, main: at('hangs.js') }, take);
    const waiting = expect(asked).rejects.toThrow('enough');
    const pid = await pidOf(at('pid'));
    abort.abort(new Error('enough'));
    await waiting;
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(answers).toEqual([]);
  });
});

async function pidOf(file: string): Promise<number> {
  for (;;) {
    try {
      const pid = Number(readFileSync(file, 'utf8'));
      if (pid > 0) return pid;
    } catch {
      // Not there yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
