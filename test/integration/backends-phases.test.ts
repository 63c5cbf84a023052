import type { NamedTensor, Shard } from '#schemas/domain';
import { Phase, PHASE_VALUES } from '#schemas/tensors';
import { BackendHost, int64Of, outputsOf } from './backend-host';
import { cityRound, shardsOf, type CityShape } from './backend-rounds';

let host: BackendHost;

beforeAll(async () => {
  host = await BackendHost.start(['candidate_cost']);
});
afterAll(() => host[Symbol.asyncDispose]());

const costed = async (tensors: readonly NamedTensor[]) =>
  outputsOf(await host.server.infer({ model: 'candidate_cost', inputs: tensors }));

const small: Omit<CityShape, 'seed'> = { couriers: 12, orders: 20, heldPerCourier: 2 };

test('the interval lies in the call', async () => {
  const shard = shardsOf(cityRound({ seed: 16, ...small }), 500)[0]!;
  const before = BigInt(Date.now()) * 1_000_000n;
  const [start, end] = int64Of((await costed(shard.tensors)).interval!);
  expect(start! >= before).toBe(true);
  expect(end! > start!).toBe(true);
  expect(end! <= BigInt(Date.now() + 1) * 1_000_000n).toBe(true);
});

describe('phases, on the CPU', () => {
  const phasesOf = async (shard: Shard) => {
    const outputs = await costed(shard.tensors);
    const [phases, [start, end]] = [int64Of(outputs.phases!), int64Of(outputs.interval!) as [bigint, bigint]];
    expect(phases).toHaveLength(PHASE_VALUES);
    const span = (at: number) => [phases[at]!, phases[at + 1]!] as const;
    return { start, end, span };
  };

  test('ETR, then OR, within the interval; nothing is copied to a device', async () => {
    const { start, end, span } = await phasesOf(shardsOf(cityRound({ seed: 16, ...small }), 500)[0]!);
    const [etrBegin, etrEnd] = span(Phase.etr);
    const [planningBegin, planningEnd] = span(Phase.planning);
    const inOrder = [start, etrBegin, etrEnd, planningBegin, planningEnd, end];
    expect([...inOrder].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))).toEqual(inOrder);
    expect(etrBegin > 0n && planningEnd > planningBegin).toBe(true);
    expect([span(Phase.copyIn), span(Phase.copyOut)]).toEqual([
      [0n, 0n],
      [0n, 0n],
    ]);
  });

  test('no ETR where every time is known', async () => {
    const known = cityRound({ seed: 16, ...small, known: true });
    const shard = shardsOf(
      { ...known, policy: { ...known.policy, travel: { ...known.policy.travel, known: true } } },
      500,
    )[0]!;
    const { span } = await phasesOf(shard);
    expect(span(Phase.etr)).toEqual([0n, 0n]);
    expect(span(Phase.planning)[0] > 0n).toBe(true);
  });
});
