import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { projectPath } from '#schemas/project-root';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/** What the last stage of a Dockerfile takes over from the build, below the root of the project. */
export function copiedFiles(dockerfile: string): string[] {
  const text = readFileSync(projectPath(dockerfile), 'utf8').replace(/\\\n/g, ' ');
  const last = text.slice(text.lastIndexOf('\nFROM '));
  return [...last.matchAll(/^COPY --from=build (.*) \S+$/gm)]
    .flatMap(([, sources]) => sources!.split(/\s+/))
    .map((source) => source.replace(/^\/roundhouse\//, ''));
}

/** The settings that it gives every container. */
export function imageSettings(dockerfile: string): Record<string, string> {
  const text = readFileSync(projectPath(dockerfile), 'utf8').replace(/\\\n/g, ' ');
  const last = /^ENV (.*)$/m.exec(text.slice(text.lastIndexOf('\nFROM ')))![1]!;
  return Object.fromEntries(
    last
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split('=') as [string, string]),
  );
}

/** The packages that `npm prune --omit=dev` leaves. */
function productionPackages(): string[] {
  const { packages } = JSON.parse(readFileSync(projectPath('package-lock.json'), 'utf8')) as Lock;
  return Object.keys(packages).filter((path) => path !== '' && packages[path]!.dev !== true);
}

/** Hard links: the folders are large. Relative links in them stay what they are. */
function link(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  execFileSync('cp', ['-al', '--', from, to]);
}

/** Lays the files of the image out in `folder`, on the file system of this checkout, out of what is built here. */
export function layOutImage(dockerfile: string, folder: string): void {
  for (const path of copiedFiles(dockerfile)) {
    if (path === 'node_modules') layOutPackages(folder);
    else if (path.endsWith('/*.node')) layOutAddons(dirname(path), folder);
    else link(projectPath(path), join(folder, path));
  }
}

function layOutPackages(folder: string): void {
  // Those inside of others come with them; optional ones of other systems are absent.
  const outer = productionPackages().filter((path) => path.split('node_modules/').length === 2);
  for (const path of outer.filter((one) => existsSync(projectPath(one)))) {
    link(projectPath(path), join(folder, path));
  }
}

function layOutAddons(path: string, folder: string): void {
  mkdirSync(join(folder, path), { recursive: true });
  for (const name of readdirSync(projectPath(path)).filter((one) => one.endsWith('.node'))) {
    cpSync(projectPath(path, name), join(folder, path, name));
  }
}
