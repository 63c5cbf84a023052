import type { EngineLink } from '../engine-link';
import { EngineDevice } from './engine-device';

function deviceOf(deviceKind: string): EngineDevice {
  const link = { deviceKind } as Partial<EngineLink> as EngineLink;
  return new EngineDevice({ id: 'a', link, arenaBytes: 0 });
}

test('a processor holds nothing back below two requests a thread, as soon as its threads are known', () => {
  const device = deviceOf('cpu');
  const spec = device.spec();
  expect(spec.leastInFlight).toBe(2); // one thread
  device.sideBySide.set('candidate_cost', 2);
  device.sideBySide.set('delivery_time', 1);
  expect(spec.leastInFlight).toBe(4); // 2 * max(2, 1)
});

test('a GPU: below two full batches of two models with two instances each, until their passes are known', () => {
  const device = deviceOf('gpu');
  const spec = device.spec();
  expect(spec.leastInFlight).toBe(64); // 2 * 8 * 2 * 2
  device.inPasses.set('candidate_cost', 16);
  expect([spec.leastInFlight, spec.inPasses?.get('candidate_cost')]).toEqual([0, 16]);
});
