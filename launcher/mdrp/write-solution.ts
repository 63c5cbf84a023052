import { constants } from 'node:fs';
import { access, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '#lib/make-folder';
import { solutionFileNames, type SolutionFiles } from '#policy/simulation/mdrp/solution-files';

/** Makes the folder where it does not exist; rejects where nothing can be written, before a day is run for it. */
export async function prepareSolutionFolder(folder: string): Promise<void> {
  makeFolder(folder);
  await access(folder, constants.W_OK);
}

/** Writes the three solution files into `folder`, which is made where it does not exist. */
export async function writeSolution(folder: string, files: SolutionFiles): Promise<void> {
  makeFolder(folder);
  for (const [kind, name] of Object.entries(solutionFileNames)) {
    await writeFile(join(folder, name), files[kind as keyof SolutionFiles]);
  }
}
