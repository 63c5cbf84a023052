import { join } from 'node:path';
import { runLogged } from './command.mjs';
import { consoleFolder, consoleSources } from './console-bundle.mjs';
import { servedFolders } from './runbook-pages.mjs';
import { filesUnder, hashFiles, isStamped, writeStamp } from './stamp.mjs';

export const sourceFolders = [
  'schemas/src',
  'lib',
  'policy',
  'services',
  'native',
  'launcher',
  'client',
  'examples',
  'bench',
];

/** dist/ by the TypeScript compiler, and in it the console's page by esbuild. */
export function typescriptBuild(places) {
  const inputs = () => hashFiles(places.root, sources(places.root));
  return {
    name: 'TypeScript build',
    tools: [],
    needs: ['npm packages'],
    isDone: () => isStamped(places.dist, inputs()),
    run: async () => {
      const from = inputs();
      const compiler = join(places.root, 'node_modules', 'typescript', 'bin', 'tsc');
      await runLogged(process.execPath, [compiler, '-p', join(places.root, 'tsconfig.json')], {
        cwd: places.root,
        log: join(places.logs, 'setup-typescript.log'),
      });
      await runLogged(process.execPath, [join(places.root, 'scripts', 'setup', 'console-bundle.mjs')], {
        cwd: places.root,
        log: join(places.logs, 'setup-console.log'),
      });
      writeStamp(places.dist, from);
    },
  };
}

function sources(root) {
  const isSource = (name) => name.endsWith('.ts') && !name.endsWith('.test.ts');
  return [
    join(root, 'tsconfig.json'),
    join(root, 'package-lock.json'),
    ...filesUnder(join(root, consoleFolder), (name) => consoleSources.test(name)),
    ...servedFolders.flatMap(({ folder, ending }) =>
      filesUnder(join(root, folder), (name) => name.endsWith(ending)),
    ),
    ...sourceFolders.flatMap((folder) => filesUnder(join(root, folder), isSource)),
  ];
}
