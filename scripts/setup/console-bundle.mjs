#!/usr/bin/env node
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { writeRunbookPages } from './runbook-pages.mjs';

export const consoleFolder = 'services/ops/web';
/** What the page is made of, besides modules in TypeScript. */
export const consoleSources = /\.(tsx|css|html|svg)$/;

const copied = ['index.html', 'favicon.svg'];

/** The console's page: one script, one style sheet, the script that sets the theme before anything is painted, and the runbook with what it leads to. */
export async function bundleConsole(root) {
  const { build } = await import('esbuild');
  const from = join(root, consoleFolder);
  const to = join(root, 'dist', consoleFolder);
  mkdirSync(to, { recursive: true });
  await build({
    entryPoints: ['console', 'theme'].map((name) => join(from, 'src', `${name}.tsx`)),
    outdir: to,
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: join(from, 'tsconfig.json'),
    legalComments: 'none',
    logLevel: 'warning',
  });
  for (const name of copied) copyFileSync(join(from, name), join(to, name));
  writeRunbookPages(root, to);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await bundleConsole(fileURLToPath(new URL('../..', import.meta.url)));
}
