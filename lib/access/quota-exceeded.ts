import { RoundhouseError } from '#schemas/errors';

/** Says when it may be tried again. */
export class QuotaExceeded extends RoundhouseError {
  constructor(
    what: string,
    readonly waitMs: number,
  ) {
    super('QUOTA_EXCEEDED', `more than the quota of ${what}: again in ${waitMs} ms`);
  }
}
