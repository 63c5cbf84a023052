import { pino } from 'pino';
import { until } from '../../../test/support/until';
import { Looks } from './looks';

const lag = {
  look: () => Promise.resolve({ topics: [], groups: [] }),
  missing: () => [],
  lookMs: () => null,
  whyNot: () => null,
};

test('a look begins at once when somebody begins to watch, and else at its pace', async () => {
  let [seen, paceMs] = [0, 3_600_000];
  const looks = new Looks({
    ...{ lag, targets: [], logger: pino({ level: 'silent' }), paceMs: () => paceMs },
    onSeen: () => void seen++,
  });
  looks.soon(); // nothing is due before the first look
  looks.start();
  await until(() => seen === 1, 'the first look');
  await new Promise((resolve) => setImmediate(resolve)); // its timer is set
  looks.soon();
  await until(() => seen === 2, 'the look for who came');
  paceMs = 1;
  await new Promise((resolve) => setImmediate(resolve));
  looks.soon();
  await until(() => seen >= 4, 'looks at the new pace');
  await looks.close();
  const atTheEnd = seen;
  looks.soon();
  await new Promise((resolve) => setTimeout(resolve, 120));
  expect(seen).toBe(atTheEnd);
});
