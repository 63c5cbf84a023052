import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { RoundhouseError, type Fault } from '#schemas/errors';
import {
  invalid,
  mdrpFiles,
  parseInstance,
  type MdrpFile,
  type MdrpInstance,
} from '#policy/simulation/mdrp/instance';

/** The largest published day has files of 60 kB. */
const maxFileBytes = 16 * 1024 * 1024;

/** Reads a folder of the benchmark's format. MDRP_INVALID names file, line and reason of every fault. */
export async function readMdrpFolder(folder: string): Promise<MdrpInstance> {
  const isFolder = await stat(folder)
    .then((found) => found.isDirectory())
    .catch(() => false);
  if (!isFolder) throw new RoundhouseError('MDRP_INVALID', `${folder}: there is no such folder`);
  const faults: Fault[] = [];
  const texts = {} as Record<MdrpFile, string>;
  for (const file of mdrpFiles) texts[file] = await readText(folder, file, faults);
  if (faults.length > 0) throw invalid(faults);
  return parseInstance(texts);
}

async function readText(folder: string, file: MdrpFile, faults: Fault[]): Promise<string> {
  const path = join(folder, file);
  try {
    const { size } = await stat(path);
    if (size > maxFileBytes) {
      faults.push({ path: file, value: `${size} bytes`, limit: `at most ${maxFileBytes} bytes` });
      return '';
    }
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    faults.push({ path: file, value: code ?? message, limit: 'a readable text file (UTF-8)' });
    return '';
  }
}
