import { brokenModel, ModelHealing } from './model-healing';

const message = "Stub process 'add_0_0' is not healthy.";

/** Broken models are handed out once, as the addon does; loads end when they are let go. */
function healing(load: (model: string) => Promise<boolean> = () => Promise.resolve(true)) {
  let now = 0;
  let broken: [string, string][] = [];
  const loads: string[] = [];
  const told: string[] = [];
  const heal = new ModelHealing({
    triton: { takeBrokenModels: () => broken.splice(0) },
    models: {
      loadAnew(model) {
        loads.push(model);
        return load(model);
      },
    },
    python: { replacing: (replace) => replace() },
    events: { ModelHealed: ({ model, fault }) => void told.push(`${model}: ${fault}`) },
    now: () => now,
  });
  const breaks = (model: string, text = message): void => {
    broken = [[model, text]];
    heal.look();
  };
  return { heal, breaks, loads, told, pass: (ms: number) => (now += ms) };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate'] }));
afterEach(() => jest.useRealTimers());

test('the instance in the message names the model, also where an ensemble was asked; else the one that was asked', () => {
  expect(brokenModel('add', message)).toBe('add');
  expect(brokenModel('ensemble', "… Stub process 'a_1_b_12_3' is not healthy.")).toBe('a_1_b');
  expect(brokenModel('add', 'Stub process is not healthy.')).toBe('add');
});

test('a model is loaded anew once for all the requests that failed meanwhile', async () => {
  let letGo = (): void => undefined;
  const { breaks, loads, told } = healing(() => new Promise((resolve) => (letGo = () => resolve(true))));
  breaks('add');
  breaks('ensemble');
  expect(loads).toEqual(['add']);
  letGo();
  await settled();
  expect(told).toEqual(['add: ']);
});

test('one that ends again waits a second, then two; after two good minutes it is healed at once', async () => {
  const { breaks, loads, pass } = healing();
  const after = async (ms: number): Promise<number> => {
    pass(ms);
    jest.advanceTimersByTime(ms);
    await settled();
    return loads.length;
  };
  breaks('add');
  expect(await after(0)).toBe(1);
  breaks('add');
  expect(await after(999)).toBe(1);
  expect(await after(1)).toBe(2);
  breaks('add');
  expect(await after(1_999)).toBe(2);
  expect(await after(1)).toBe(3);
  expect(await after(120_000)).toBe(3);
  breaks('add');
  expect(await after(0)).toBe(4);
});

test('a load that fails is told with its reason, and the next failure asks for another', async () => {
  const { breaks, loads, told, heal } = healing(() => Promise.reject(new Error('no such thing')));
  breaks('add');
  await settled();
  expect(told).toEqual(['add: no such thing']);
  breaks('add');
  jest.advanceTimersByTime(1_000);
  expect(loads).toHaveLength(2);
  heal.close();
});

test('one that was unloaded while it waited for its turn is not told as healed, and begins anew when it is back', async () => {
  let isServed = true;
  const { breaks, loads, told } = healing(() => Promise.resolve(isServed));
  breaks('add');
  await settled();
  isServed = false;
  breaks('add');
  jest.advanceTimersByTime(1_000);
  await settled();
  expect(told).toEqual(['add: ']);
  breaks('add');
  expect(loads).toHaveLength(3);
});
