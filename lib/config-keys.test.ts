import { readFileSync, readdirSync } from 'node:fs';
import { projectPath } from '#schemas/project-root';
import { knownKeys } from './config-keys';

const documented = readFileSync(projectPath('docs', 'configuration.md'), 'utf8');
const isOfTypeScript = (name: string): boolean => name.endsWith('.ts') && !name.endsWith('.test.ts');

function keysIn(text: string): string[] {
  return [...new Set(text.match(/ROUNDHOUSE_[A-Z0-9_]*[A-Z0-9]/g) ?? [])];
}

test('every key that a service reads is known, so that no other service rejects it', () => {
  const services = projectPath('services');
  const files = (readdirSync(services, { recursive: true }) as string[]).filter(isOfTypeScript);
  const read = keysIn(files.map((file) => readFileSync(`${services}/${file}`, 'utf8')).join());
  expect(read.filter((key) => !(knownKeys as readonly string[]).includes(key))).toEqual([]);
});

test('no test or tool reads a key that would make a service refuse to start', () => {
  const folders = ['bench', 'launcher', 'lib', 'native', 'scripts', 'test', 'examples', 'cuda'];
  const isSource = (name: string): boolean => /\.([cm]?[jt]s|[ch]pp|py)$/.test(name);
  const texts = folders.flatMap((folder) =>
    (readdirSync(projectPath(folder), { recursive: true }) as string[])
      .filter((name) => isSource(name) && !name.includes('node_modules'))
      .map((name) => readFileSync(projectPath(folder, name), 'utf8')),
  );
  const reads = /env(?:iron)?(?:\.|\??\.?\[\s*['"]|\(\s*")(ROUNDHOUSE_[A-Z0-9_]+)/g;
  const read = texts.flatMap((text) => [...text.matchAll(reads)].map(([, key]) => key!));
  expect(read).toContain('ROUNDHOUSE_ENGINE_SOCKET');
  expect(read.filter((key) => !(knownKeys as readonly string[]).includes(key))).toEqual([]);
});

test('docs/configuration.md lists exactly the known keys', () => {
  expect(keysIn(documented).sort()).toEqual([...knownKeys].sort());
});
