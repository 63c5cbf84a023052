import { errorCodes, RoundhouseError } from '#schemas/errors';

/**
 * Whether a round that failed with this error goes out again, as another round with a deadline of its own. It
 * does where the error table says that another attempt helps, and where an outage used up the time for which
 * the round was sent, so that only its deadline is at fault. An accepted round without a decision
 * (DEADLINE_EXCEEDED) is a broken promise, which a second round would only hide.
 */
export function mayBeSentAgain(error: unknown): boolean {
  if (!(error instanceof RoundhouseError)) return false;
  if (errorCodes[error.code].retry !== 'never') return true;
  const { code, faults } = error;
  return code === 'ROUND_INVALID' && faults.length > 0 && faults.every(({ path }) => path === 'deadline');
}
