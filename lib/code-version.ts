import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectPath, projectRoot } from '#schemas/project-root';

function readText(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : null;
}

/** What HEAD of the checkout names; null where this is no checkout. */
function commitOf(root: string): string | null {
  const git = join(root, '.git');
  try {
    const head = readText(join(git, 'HEAD'));
    const reference = /^ref: (.+)$/.exec(head ?? '')?.[1];
    if (reference === undefined) return head;
    const packed = readText(join(git, 'packed-refs'))
      ?.split('\n')
      .find((line) => line.endsWith(` ${reference}`));
    return readText(join(git, reference)) ?? packed?.split(' ')[0] ?? null;
  } catch {
    return null;
  }
}

export interface CodeVersion {
  readonly version: string;
  /** Of the checkout that the program was built from; null where it is none. */
  readonly commit: string | null;
}

export function codeVersion(): CodeVersion {
  const { version } = JSON.parse(readFileSync(projectPath('package.json'), 'utf8')) as { version: string };
  return { version, commit: commitOf(projectRoot) };
}
