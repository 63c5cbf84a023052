import { RequestLog } from './request-log';
import type { Flight } from './work-in-flight';

const flight = (requestId: string, startedAtMs: number): Flight => {
  return { model: 'm', version: '1', requestId, bytes: 3, startedAtMs, timeLeftMs: 1_000 };
};

test('open requests first, then those that ended last, with ids that a reader can read', () => {
  const log = new RequestLog();
  log.add(flight('tenant\u001frun\u001fround\u001f7', 0), 30, 'ok');
  log.add(flight('second', 10), 50, 'MODEL_FAILED');
  expect(
    log
      .last([flight('open\u001f1', 40)], 100)
      .map(({ id, ageMs, tookMs, result }) => [id, ageMs, tookMs, result]),
  ).toEqual([
    ['open/1', 60, null, 'open'],
    ['second', 90, 40, 'MODEL_FAILED'],
    ['tenant/run/round/7', 100, 30, 'ok'],
  ]);
});

test('an id that is no text is shown as far as it is one, and a long one is cut', () => {
  const log = new RequestLog();
  log.add(flight('\ud800', 0), 1, 'ok');
  log.add(flight('x'.repeat(300), 0), 1, 'ok');
  expect(log.last([], 1).map(({ id }) => id)).toEqual([`${'x'.repeat(200)}…`, '\ufffd']);
});
