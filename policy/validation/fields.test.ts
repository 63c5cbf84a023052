import { nearestName } from '#schemas/nearest-name';
import { FaultList } from './fault-list';
import { Fields } from './fields';

jest.mock('#schemas/nearest-name', () => {
  const actual = jest.requireActual<{ nearestName: typeof nearestName }>('#schemas/nearest-name');
  return { nearestName: jest.fn(actual.nearestName) };
});

test('of a hundred thousand unknown fields all are counted, and a hundred compared with the valid ones', () => {
  const faults = new FaultList();
  const hostile = Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`field${i}`, i]));
  const fields = new Fields(hostile, '', faults);
  fields.boolean('feild', false);
  fields.done();
  expect([faults.count, faults.listed.length]).toEqual([100_000, 100]);
  expect(faults.listed[99]).toEqual({
    path: 'field99',
    value: '99',
    limit: 'no such field; the fields are feild',
  });
  expect(nearestName).toHaveBeenCalledTimes(100);
});
