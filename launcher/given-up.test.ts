import { GivenUp } from './given-up';

test('a service that is given up for its configuration ends the run with its exit code, any other with 1', () => {
  const lost = (reason: string) => new GivenUp({ kind: 'gaveUp', name: 'worker', reason, logFile: '/w.log' });
  expect(lost('exit code 2').exitCode).toBe(2);
  for (const reason of ['exit code 3', 'exit code 23', 'SIGKILL']) expect(lost(reason).exitCode).toBe(1);
});
