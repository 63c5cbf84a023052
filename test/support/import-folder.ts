import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RoundhouseError } from '#schemas/errors';
import type { DispatchRound } from '#schemas/domain';
import { importCommand } from '#services/replay/import/import-command';
import { parseImport } from '#services/replay/import/options';
import { openRecording } from '#services/replay/recording/recording-reader';

/** `replay import` into a folder of each test's own, which is gone afterwards. To be called where tests are declared. */
export function importFolder() {
  let folder: string;
  const lines: string[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'import-'));
    lines.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const out = () => join(folder, 'out');
  const tell = (line: string) => void lines.push(line);
  const run = (...argv: string[]) =>
    importCommand(parseImport([...argv, '--out', out()]), {
      env: {},
      signal: new AbortController().signal,
      tell,
      tellError: tell,
    });
  async function faultsOf(...argv: string[]): Promise<string[]> {
    const error: unknown = await run(...argv).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(RoundhouseError);
    expect((error as RoundhouseError).code).toBe('IMPORT_INVALID');
    return (error as RoundhouseError).faults.map(({ path, value, limit }) => `${path}: ${value} | ${limit}`);
  }
  return {
    lines,
    out,
    run,
    faultsOf,
    tell,
    folder: () => folder,
    imported: (): DispatchRound[] => [...openRecording(out()).rounds()].map(({ manifest }) => manifest.round),
  };
}
