import { seriesOf, total } from './metrics';

const text = `# HELP a Some.
# TYPE a counter
a{code="x",service="s"} 2
a{code="y",service="s"} 3
a_b{code="x"} 50
c 7
`;

test('series are counted, and a metric is the sum of its own', () => {
  const series = seriesOf(text);
  expect(series.size).toBe(4);
  expect([
    total(series, 'a'),
    total(series, 'a', 'code="y"'),
    total(series, 'c'),
    total(series, 'd'),
  ]).toEqual([5, 3, 7, 0]);
});
