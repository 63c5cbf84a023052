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

  /** Throws IMPORT_INVALID where there are any. */
  throwIfAny(): void {
    if (this.count === 0) return;
    const shown = this.faults
      .slice(0, mostShown)
      .map(({ path, value, limit }) => `${path}: ${value}; expected ${limit}`);
    const more = this.count > mostShown ? [`… ${this.count} faults in all`] : [];
    const message = ['what is to be imported is not valid', ...shown, ...more].join('\n  ');
    throw new RoundhouseError('IMPORT_INVALID', message, this.faults);
  }
}

export function importInvalid(path: string, value: string, limit: string): RoundhouseError {
  const faults = new ImportFaults();
  faults.add(path, value, limit);
  try {
    faults.throwIfAny();
  } catch (error) {
    return error as RoundhouseError;
  }
  throw new Error('unreachable');
}
