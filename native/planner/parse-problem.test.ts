import { MalformedProblem, parseProblem } from './parse-problem';

/** One order picked up at stop 1 and dropped off at stop 2. */
const valid = {
  id: 7,
  n: 1,
  m: 2,
  Q: 1,
  t0: -5,
  w: [1, 2, 3],
  orders: [{ ready: -1, promised: 9, pick: 1, drop: 2, new: 1 }],
  svc: [0, 4, 5],
  T: [
    [0, 10, 20],
    [1, 0, 30],
    [2, 3, 0],
  ],
};

function reason(change: object): string {
  try {
    parseProblem(JSON.stringify({ ...valid, ...change }));
  } catch (error) {
    if (error instanceof MalformedProblem) return error.message;
    throw error;
  }
  return 'accepted';
}

const order = (change: object) => ({ orders: [{ ...valid.orders[0], ...change }] });

test('a line becomes a problem: service after the handling, size 1, no limits', () => {
  const { id, problem } = parseProblem(JSON.stringify(valid));
  expect(id).toBe(7);
  expect(problem.orders).toEqual([{ ready: -1, promised: 9, latestDropoff: null, size: 1, onBoard: false }]);
  expect(problem.stops).toEqual([
    { kind: 'pickup', group: 'bundle', orders: [0], preService: 0, postService: 4 },
    { kind: 'dropoff', group: 'bundle', orders: [0], preService: 0, postService: 5 },
  ]);
  expect(problem).toMatchObject({ startAt: -5, capacity: 1, latestPickup: null, interleave: true });
});

test('an order on board has pick -1 and a drop-off alone', () => {
  const { problem } = parseProblem(
    JSON.stringify({
      ...valid,
      m: 1,
      ...order({ pick: -1, drop: 1, new: 0 }),
      svc: [0, 4],
      T: [
        [0, 1],
        [1, 0],
      ],
    }),
  );
  expect(problem.stops).toEqual([
    { kind: 'dropoff', group: 'held', orders: [0], preService: 0, postService: 4 },
  ]);
});

test.each<[string, object, string]>([
  [
    'a field too many',
    { promissed: 1 },
    'unknown field "promissed": the fields are id, n, m, Q, t0, w, orders, svc, T',
  ],
  ['a misspelt field', { order: [] }, 'unknown field "order": did you mean orders?'],
  ['__proto__ as a key', JSON.parse('{"__proto__": {"id": 1}}') as object, 'unknown field "__proto__": '],
  ['no weights', { w: undefined }, 'field w is missing'],
  ['two weights', { w: [1, 2] }, 'w: has 2 entries, needed are 3'],
  ['a negative weight', { w: [1, -2, 3] }, 'w[1]: -2 is no whole number within 0..9007199254740991'],
  ['a weight beyond exactness', { w: [1, 2, 2 ** 53] }, 'w[2]: 9007199254740992 is no whole number within'],
  ['a text for a number', { t0: '5' }, 't0: "5" is no whole number within -2147483648..2147483647'],
  ['a fraction', { t0: 0.5 }, 't0: 0.5 is no whole number'],
  ['a time beyond INT32', { t0: 2 ** 31 }, 't0: 2147483648 is no whole number'],
  ['null', { Q: null }, 'Q: null is no whole number within 0..2147483647'],
  ['an id that is no number', { id: 'a' }, 'id: "a" is no whole number'],
  ['orders that are no array', { orders: {} }, 'orders: {} is no array'],
  ['fewer orders than n', { n: 2 }, 'orders: has 1 entries, needed are 2'],
  ['nine orders', { n: 9 }, 'n: 9 is above the limit of 8 orders'],
  ['seventeen stops', { m: 17 }, 'm: 17 is above the limit of 16 stops'],
  ['an order that is no object', { orders: [[]] }, 'orders[0]: [] is no object'],
  ['an order without promise', order({ promised: undefined }), 'orders[0]: field promised is missing'],
  [
    'a misspelt order field',
    order({ promissed: 1 }),
    'orders[0]: unknown field "promissed": did you mean promised?',
  ],
  ['a stop number above m', order({ drop: 3 }), 'orders[0].drop: 3 is no whole number within 1..2'],
  ['pick 0', order({ pick: 0 }), 'orders[0].pick: 0 is no whole number within 1..2'],
  ['one stop for both', order({ drop: 1 }), 'orders[0].drop: stop 1 stands there twice'],
  ['a stop of no order', order({ pick: -1 }), 'm: stop 1 belongs to no order'],
  ['new that is no flag', order({ new: 2 }), 'orders[0].new: 2 is no whole number within 0..1'],
  ['services for another m', { svc: [0, 4] }, 'svc: has 2 entries, needed are 3'],
  ['a negative service', { svc: [0, 4, -5] }, 'svc[2]: -5 is no whole number within 0..2147483647'],
  ['a matrix with a row too few', { T: valid.T.slice(1) }, 'T: has 2 entries, needed are 3'],
  [
    'a matrix that is not square',
    {
      T: [
        [0, 1, 2],
        [0, 1],
        [0, 1, 2],
      ],
    },
    'T[1]: has 2 entries, needed are 3',
  ],
  [
    'negative travel',
    {
      T: [
        [0, 1, 2],
        [0, 1, -2],
        [0, 1, 2],
      ],
    },
    'T[1][2]: -2 is no whole number',
  ],
])('%s is named', (_, change, expected) => {
  expect(reason(change)).toContain(expected);
});

test.each([
  ['', 'no JSON: Unexpected end of JSON input'],
  ['{"id": 1', 'no JSON: '],
  ['[1]', '[1] is no object'],
  ['null', 'null is no object'],
  ['NaN', 'no JSON: '],
])('the line %j is named', (text, expected) => {
  expect(() => parseProblem(text)).toThrow(expected);
});

test('a long value is cut in the message, between characters', () => {
  // A quote and 59 units of pairs: the 30th pair would be cut in two.
  expect(reason({ t0: '😀'.repeat(500) })).toContain(`"${'😀'.repeat(29)}… is no whole number`);
});
