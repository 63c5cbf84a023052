import { incidentWords } from './incident-words';

const incident = {
  kind: 'death',
  role: 'active',
  reason: 'the engine hung up',
  reaction: 'standby_took_over',
  end: 'SIGSEGV',
  file: '/r/1.json',
  fault: '',
} as const;

test('an incident in words: which engine, why, what follows, and the report', () => {
  expect(incidentWords(incident)).toBe(
    'the engine is lost (death: the engine hung up, SIGSEGV); its standby takes over; report: /r/1.json',
  );
});

test('one that was ended for its silence has no end of its own', () => {
  const words = incidentWords({ ...incident, kind: 'silence', reason: 'no answer', end: 'SIGKILL' });
  expect(words).toContain('(silence: no answer); ');
});

test('a report that could not be written is said with the reason', () => {
  expect(incidentWords({ ...incident, file: '', fault: 'ENOSPC' })).toMatch(
    /; no report could be written: ENOSPC$/,
  );
});
