import type { RoundhouseError } from '#schemas/errors';
import { ReaderPlaces } from './reader-places';

function placesOf(most: number, quotas: Readonly<Record<string, number>> = {}) {
  const refused: string[] = [];
  const places = new ReaderPlaces({
    what: 'decision streams',
    most,
    quotaOf: (tenant) => quotas[tenant] ?? null,
    onRefused: (reason) => refused.push(reason),
  });
  const codeOf = (tenant: string): string => {
    try {
      places.enter(tenant);
      return 'in';
    } catch (error) {
      return (error as RoundhouseError).code;
    }
  };
  return { places, refused, codeOf };
}

test('a tenant has a quarter of the places, or what its quota says', () => {
  const { codeOf, refused, places } = placesOf(10, { acme: 1 });
  // ceil(10 / 4) = 3 of any other.
  expect(['b', 'b', 'b', 'b', 'acme', 'acme'].map(codeOf)).toEqual([
    'in',
    'in',
    'in',
    'QUOTA_EXCEEDED',
    'in',
    'QUOTA_EXCEEDED',
  ]);
  expect(refused).toEqual(['tenant', 'tenant']);
  expect(places.open).toBe(4);
});

test('all places together are bounded, whatever quotas say', () => {
  const { codeOf, refused } = placesOf(2, { a: 9, b: 9 });
  expect(['a', 'a', 'b'].map(codeOf)).toEqual(['in', 'in', 'INGEST_BUSY']);
  expect(refused).toEqual(['all']);
});

test('a place is left once, however often it is said', () => {
  const { places, codeOf } = placesOf(4);
  const leave = places.enter('a');
  expect(codeOf('a')).toBe('QUOTA_EXCEEDED'); // ceil(4 / 4) = 1
  leave();
  leave();
  expect(places.open).toBe(0);
  expect(codeOf('a')).toBe('in');
});

test('the refusal says what there are too many of, and when to try again', () => {
  const { places } = placesOf(1);
  places.enter('a');
  expect(() => places.enter('a')).toThrow(
    'more than the quota of 1 decision streams at once: again in 1000 ms',
  );
});
