import { RoundhouseError, type Fault } from '#schemas/errors';
import { counted } from '#schemas/counted';
import { shownText } from '#schemas/shown-text';

/** What an unknown key holds is not known to be no secret. */
export const notShown = '(not shown)';

/** Secrets in URLs stay out of messages, whatever is wrong with the URL. */
export function masked(text: string): string {
  return shownText(text.replace(/(\/\/|^)[^]*@/, '$1***@').replace(/(:\/\/[^?]*\?)[^]+/, '$1***'), 200);
}

function lineOf({ path, value, limit }: Fault): string {
  return value === notShown ? `  ${path}: ${limit}` : `  ${path}=${JSON.stringify(masked(value))}: ${limit}`;
}

export function configError(faults: readonly Fault[]): RoundhouseError {
  return new RoundhouseError(
    'CONFIG_INVALID',
    `${counted(faults.length, 'fault')} in the configuration:\n${faults.map(lineOf).join('\n')}`,
    faults,
  );
}
