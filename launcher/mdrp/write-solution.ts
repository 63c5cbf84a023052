import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { solutionFileNames, type SolutionFiles } from '#policy/simulation/mdrp/solution-files';

/** Writes the three solution files into `folder`, which is made where it does not exist. */
export async function writeSolution(folder: string, files: SolutionFiles): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [kind, name] of Object.entries(solutionFileNames)) {
    await writeFile(join(folder, name), files[kind as keyof SolutionFiles]);
  }
}
