import { RoundhouseError, type Fault } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';

const mostShown = 10;
/** More are only counted. */
const mostKept = 100;

/** Everything that is wrong with files to import, as `file:line`. */
export class ImportFaults {
  private readonly faults: Fault[] = [];
  count = 0;

  add(path: string, value: string, limit: string): void {
    this.count += 1;
    if (this.faults.length < mostKept) this.faults.push({ path, value: shownText(value, 80), limit });
  }

  /** IMPORT_INVALID with the first ten of them in words; null where there are none. */
  error(): RoundhouseError | null {
    if (this.count === 0) return null;
    const shown = this.faults
      .slice(0, mostShown)
      .map(({ path, value, limit }) => `${path}: ${value}; expected ${limit}`);
    const more = this.count > mostShown ? [`… ${this.count} faults in all`] : [];
    const message = ['what is to be imported is not valid', ...shown, ...more].join('\n  ');
    return new RoundhouseError('IMPORT_INVALID', message, this.faults);
  }

  /** Throws IMPORT_INVALID where there are any. */
  throwIfAny(): void {
    const error = this.error();
    if (error !== null) throw error;
  }
}

export function importInvalid(path: string, value: string, limit: string): RoundhouseError {
  const faults = new ImportFaults();
  faults.add(path, value, limit);
  return faults.error()!;
}
