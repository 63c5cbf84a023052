import { PhaseClock, readPhases, writePhases } from '#schemas/phases';

test('what is written is read, to a tenth of a millisecond and in order', () => {
  const text = writePhases({ read: 12.34, cut: 0, shards: 1_000.06 });
  expect(text).toBe('read=12.3;cut=0.0;shards=1000.1');
  expect(Object.entries(readPhases(text))).toEqual([
    ['read', 12.3],
    ['cut', 0],
    ['shards', 1_000.1],
  ]);
});

test.each([
  [undefined, {}],
  ['', {}],
  ['read=;=4;cut=x;a=-1;b=1e9', {}],
  [`${'x'.repeat(33)}=1;ok=2`, { ok: 2 }],
])('%j gives what can be read of it', (text, phases) => expect(readPhases(text)).toEqual(phases));

test('a clock gives each step the time since the one before it, and adds what comes twice', () => {
  let now = 100;
  const clock = new PhaseClock(() => now);
  now = 130;
  clock.ends('read');
  now = 135;
  clock.ends('cut');
  now = 137;
  clock.ends('read');
  expect(clock.phases).toEqual({ read: 32, cut: 5 });
});
