import { chmodSync, cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFolder } from './fresh-folder.mjs';
import { hashFiles, isStamped } from './stamp.mjs';
import { unpackWheel } from './wheels.mjs';

/** One version of CUDA: a newer nvvm makes PTX that this ptxas refuses. */
const wheels = ['cuda-crt', 'cuda-nvcc', 'cuda-runtime', 'cuda-nvvm'];
const inWheel = join('nvidia', 'cu13');

/**
 * NVIDIA's compiler and CUDA's headers and static runtime, out of the wheels that NVIDIA publishes: enough to compile
 * for GPUs on a machine that has none. The folder is what CMake calls ROUNDHOUSE_CUDA_HOME.
 */
export function cudaCompiler(places) {
  const requirements = wheels.map((name) => join(places.root, 'toolchain', 'wheels', `${name}.txt`));
  const folder = join(places.toolchain, 'cuda');
  const inputs = () => hashFiles(places.root, requirements);
  return {
    name: 'CUDA compiler',
    tools: ['python'],
    needs: [],
    isDone: () => isStamped(folder, inputs()),
    run: () => replaceFolder(folder, inputs(), (fresh) => fill(fresh, requirements, places.logs)),
  };
}

async function fill(folder, requirements, logs) {
  await Promise.all(requirements.map((file, index) => takeWheel(file, folder, wheels[index], logs)));
  for (const bin of [join(folder, 'bin'), join(folder, 'nvvm', 'bin')]) {
    for (const { name, parentPath } of readdirSync(bin, { withFileTypes: true }).filter((e) => e.isFile())) {
      chmodSync(join(parentPath ?? bin, name), 0o755);
    }
  }
}

async function takeWheel(requirements, folder, name, logs) {
  const unpacked = join(folder, `.${name}`);
  await unpackWheel(requirements, unpacked, join(logs, `setup-${name}.log`));
  cpSync(join(unpacked, inWheel), folder, { recursive: true });
  rmSync(unpacked, { recursive: true });
}
