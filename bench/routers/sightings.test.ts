import { Sightings } from './sightings';

test('from the first attempt that could tell to when it was out', () => {
  const sightings = new Sightings();
  sightings.answered('a', 5, 90);
  sightings.usable('a', false, 95);
  sightings.spoiled(100);
  // Sent at 80: it could tell from 100 on.
  sightings.answered('a', 40, 120);
  sightings.answered('a', 10, 150);
  sightings.usable('a', true, 155);
  sightings.usable('a', false, 160);
  sightings.usable('a', false, 300);
  expect(sightings.seenMs('a')).toBe(60);
  expect(sightings.seenMs('b')).toBeNull();
});
