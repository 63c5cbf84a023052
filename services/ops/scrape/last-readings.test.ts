import { LastReadings } from './last-readings';

test('the same text of the same place is read once; another one, or one that could not be read, anew', () => {
  const readings = new LastReadings();
  const read = (url: string, text: string) => readings.of(url, text, (said) => JSON.parse(said) as object);
  const first = read('a', '{"x":1}');
  expect(read('a', '{"x":1}')).toBe(first);
  expect(read('b', '{"x":1}')).not.toBe(first);
  expect(read('a', '{"x":2}')).toEqual({ x: 2 });
  expect(() => read('a', '<html>')).toThrow(SyntaxError);
  expect(read('a', '{"x":2}')).toEqual({ x: 2 });
});
