import { loggedReason } from './logged-reason';

function reasonOf(text: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    return `the body is no JSON: ${(error as Error).message}`;
  }
  throw new Error('it is JSON');
}

test.each([
  '{"x": 13.41827, y: 1}',
  '{"x": a13.41827}',
  `{"points": ["13.4", ${'{"x": 1},'.repeat(20)} a13.41827, ${'{"x": 1},'.repeat(20)}`,
  '13.41827 13.41827',
  '{"street": "13.41827',
])('a log has nothing of %j', (text) => {
  const message = reasonOf(text);
  const logged = loggedReason('PAYLOAD_INVALID', message);
  expect(logged).toMatch(/^the body is no JSON: \w/);
  expect(logged).not.toMatch(/13\.4/);
});

test('a reason of ours stays', () => {
  expect(loggedReason('ROUND_INVALID', 'the round has 2 faults')).toBe('the round has 2 faults');
});
