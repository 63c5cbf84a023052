import { RoundhouseError } from '#schemas/errors';
import { ModelCheck } from './model-check';

test('the same bytes pass, others do not, a server that says nothing does', async () => {
  const hashes: Record<string, string | null> = { same: 'abc', other: 'xyz', silent: null };
  const check = new ModelCheck((model) => Promise.resolve(hashes[model]!));
  await expect(check.requireSame('same', '1', 'abc')).resolves.toBeUndefined();
  await expect(check.requireSame('silent', '1', 'abc')).resolves.toBeUndefined();
  await expect(check.requireSame('other', '1', 'abc')).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE' });
  await expect(check.requireSame('other', '1', '')).resolves.toBeUndefined();
});

test('asked once for many, again after a failure', async () => {
  let asked = 0;
  const check = new ModelCheck(() => {
    asked += 1;
    if (asked === 1) return Promise.reject(new RoundhouseError('ENGINE_LOST', 'gone'));
    return Promise.resolve('abc');
  });
  await expect(check.requireSame('m', '1', 'abc')).rejects.toMatchObject({ code: 'ENGINE_LOST' });
  await Promise.all(Array.from({ length: 5 }, () => check.requireSame('m', '1', 'abc')));
  expect(asked).toBe(2);
  await check.requireSame('m', '2', 'abc');
  expect(asked).toBe(3);
});
