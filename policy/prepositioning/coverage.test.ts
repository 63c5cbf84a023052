import { SeededRandom } from '../assignment/seeded-random';
import { Coverage, type Supply } from './coverage';

const PLACES = 12;
const COURIERS = 15;

/** Whole distances from few values, so that many are equal. */
function setting() {
  const random = new SeededRandom(7);
  const rides = Array.from({ length: PLACES + COURIERS }, () =>
    Float64Array.from({ length: PLACES }, () => 100 * random.below(20)),
  );
  const supply = Array.from({ length: COURIERS }, (_, i): Supply => ({
    freeAt: 50 * random.below(4),
    place: PLACES + i,
  }));
  const demand = {
    place: Int32Array.from({ length: PLACES }, (_, i) => i),
    weight: Float64Array.from({ length: PLACES }, () => 1 + random.below(5)),
  };
  return {
    random,
    supply,
    of: (now: Supply[]) => new Coverage(demand, now, (_, from, to) => rides[from]![to]!),
  };
}

// Guards against gains after moves that differ from those of a coverage made anew: decisions would differ with them.
test('after each move the gains are those of a coverage that begins there', () => {
  const { random, supply, of } = setting();
  const coverage = of(supply);
  for (let move = 0; move < 20; move += 1) {
    coverage.move(random.below(COURIERS), random.below(PLACES), 100 * random.below(10));
    const anew = of([...supply]);
    for (let courier = 0; courier < COURIERS; courier += 1) {
      for (let target = 0; target < PLACES; target += 1) {
        expect(coverage.gain(courier, target, 60)).toBe(anew.gain(courier, target, 60));
      }
    }
  }
});
