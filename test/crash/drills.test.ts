import { drills } from '../../bench/drill/all';
import type { Drill } from '../../bench/drill/drill';
import { runDrill, type RunOptions } from '../../bench/drill/run';
import { Stand } from '../../bench/drill/stand/stand';

/** A tenth in CI; `npm run drill` has the whole counts and times. */
const isFull = process.env['TEST_FULL'] === '1';
const chosen = drills.filter(({ inQuick }) => isFull || inQuick);
const shared = chosen.filter(({ stand }) => stand === undefined);
const apart = chosen.filter(({ stand }) => stand !== undefined);

const options: RunOptions = {
  scale: 'quick',
  seed: 1,
  note: () => undefined,
  watch: () => Promise.resolve(null),
};

jest.setTimeout(400_000);

/** What was measured by the clock is told by `npm run drill`: a busy machine may miss it. */
async function faultsOf(drill: Drill, stand: Stand): Promise<string[]> {
  const { checks } = await runDrill(drill, stand, options);
  return checks
    .filter(({ passed, isTiming }) => !passed && isTiming !== true)
    .map(({ what, expected, measured }) => `${what}: expected ${expected}, measured ${measured}`);
}

describe('faults in one pipeline, one after the other', () => {
  let stand: Stand;
  beforeAll(async () => {
    stand = await Stand.start();
  }, 120_000);
  beforeEach(() => stand.heal(), 120_000);
  afterAll(() => stand?.stop(), 60_000);

  test.each(shared.map((drill) => [drill.name, drill] as const))('%s', async (_, drill) => {
    expect(await faultsOf(drill, stand)).toEqual([]);
  });
});

test.each(apart.map((drill) => [drill.name, drill] as const))('%s', async (_, drill) => {
  const own = typeof drill.stand === 'object' ? await Stand.start(drill.stand) : null;
  try {
    expect(await faultsOf(drill, own as Stand)).toEqual([]);
  } finally {
    await own?.stop();
  }
});
