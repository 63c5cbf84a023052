import type { Outage } from '../events';
import { withSpan, type OutageSpan } from './outage-spans';

const span = (outage: Outage, from: number, to: number): OutageSpan => ({ outage, from, to });

test('what many rounds tell of one outage is one span, however long it lasts', () => {
  let [spans, most]: [readonly OutageSpan[], number] = [[], 0];
  // An hour at 50 rounds/s, each held up for 200 ms.
  for (let at = 0; at < 3_600_000; at += 20) {
    spans = withSpan(spans, span('redis', at, at + 200));
    most = Math.max(most, spans.length);
  }
  expect(most).toBe(1);
  expect(spans).toEqual([span('redis', 0, 3_600_180)]); // the last began at 3,599,980
});

test('spans that touch are one, those with time between them are two', () => {
  const one = withSpan([span('kafka', 0, 10)], span('kafka', 10, 20));
  expect(one).toEqual([span('kafka', 0, 20)]);
  expect(withSpan(one, span('kafka', 21, 30))).toEqual([span('kafka', 0, 20), span('kafka', 21, 30)]);
});

test('a span that covers several takes their place, one inside another changes nothing', () => {
  const two = [span('kafka', 0, 10), span('kafka', 20, 30)];
  expect(withSpan(two, span('kafka', 5, 40))).toEqual([span('kafka', 0, 40)]);
  expect(withSpan(two, span('kafka', 22, 25))).toEqual([span('kafka', 0, 10), span('kafka', 20, 30)]);
});

test('spans of other outages stay, and the one that was last told of stands last', () => {
  const before = [span('redis', 0, 10), span('kafka', 5, 12)];
  expect(withSpan(before, span('redis', 8, 15))).toEqual([span('kafka', 5, 12), span('redis', 0, 15)]);
});
