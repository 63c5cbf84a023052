import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';

/**
 * The Python backend of the wheel beside our own backends: a link to its folder, where its libraries find
 * each other, and our stub in it. Which Python runs the models is found when one is loaded.
 */
export function pythonBackend(places) {
  const source = join(places.root, 'toolchain', 'python-backend', 'stub.sh');
  const folder = join(places.toolchain, 'triton', 'pytriton', 'tritonserver', 'backends', 'python');
  const stub = join(folder, 'triton_python_backend_stub');
  const link = join(places.native, 'backends', 'python');
  const target = relative(dirname(link), folder);
  return {
    name: 'Python backend',
    needs: ['TritonCore', 'native build (CMake)'],
    isDone: () => isSame(source, stub) && linkTarget(link) === target,
    run: async () => {
      rmSync(stub, { force: true });
      copyFileSync(source, stub);
      chmodSync(stub, 0o755);
      rmSync(link, { recursive: true, force: true });
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(target, link);
    },
  };
}

function isSame(source, stub) {
  if (!existsSync(source) || !existsSync(stub)) return !existsSync(source);
  return readFileSync(source).equals(readFileSync(stub));
}

function linkTarget(path) {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}
