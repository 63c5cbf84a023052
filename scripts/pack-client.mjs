#!/usr/bin/env node
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readFlags } from './flags.mjs';
import { setUp } from './setup/index.mjs';
import { makeFolder } from './setup/make-folder.mjs';
import { projectRoot } from './setup/places.mjs';

const usage = `npm run --silent pack-client [-- FOLDER]
  Packs roundhouse/client for other projects: a tarball without dependencies, into FOLDER (default build/).
  Its path is printed: npm install PATH.`;

/** Files of ours that a built module reaches, itself among them: scripts and declarations import alike. */
function reached(file, dist, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  const declarations = file.replace(/\.js$/, '.d.ts');
  if (declarations !== file) reached(declarations, dist, found);
  const text = readFileSync(file, 'utf8');
  for (const [, name] of text.matchAll(/(?:require\(|from |import\()["']([.#][^"']*)["']/g)) {
    const path = name.startsWith('#schemas/')
      ? join(dist, 'schemas', 'src', name.slice('#schemas/'.length))
      : resolve(dirname(file), name);
    reached(existsSync(`${path}.js`) ? `${path}.js` : join(path, 'index.js'), dist, found);
  }
  return found;
}

/** Node's own modules need no dependency; another package here would. */
function requirePlain(files) {
  for (const file of files) {
    for (const [, name] of readFileSync(file, 'utf8').matchAll(/require\(["']([^.#"'][^"']*)["']\)/g)) {
      if (!name.startsWith('node:')) throw new Error(`${file} needs ${name}: the client has no dependencies`);
    }
  }
}

/** The package in `folder`, with the folders of dist/ as they are; returns the path of the tarball. */
export function packClient(folder, root = projectRoot) {
  const { name, version, license, engines, imports, exports } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );
  const dist = join(root, 'dist');
  const files = [...reached(join(dist, 'client', 'index.js'), dist)];
  requirePlain(files.filter((file) => file.endsWith('.js')));
  const made = join(folder, 'client-package');
  rmSync(made, { recursive: true, force: true });
  for (const file of [...files, join(root, 'LICENSE')]) {
    makeFolder(dirname(join(made, relative(root, file))));
    cpSync(file, join(made, relative(root, file)));
  }
  const manifest = { name, version, license, type: 'commonjs', engines, exports };
  const own = { '#schemas/*': imports['#schemas/*'] };
  writeFileSync(join(made, 'package.json'), `${JSON.stringify({ ...manifest, imports: own }, null, 2)}\n`);
  const options = { cwd: made, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  const args = ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder];
  return join(folder, execFileSync('npm', args, options).trim());
}

async function main(args) {
  const { words } = readFlags(usage, {}, { mostWords: 1, args });
  await setUp({ only: ['npm', 'typescript'] });
  const folder = resolve(words[0] ?? join(projectRoot, 'build'));
  makeFolder(folder);
  console.log(packClient(folder));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.argv.slice(2));
