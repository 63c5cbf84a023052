import { copyFileSync, cpSync, existsSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { SetUpError } from './command.mjs';
import { enlargePayloadPool } from './core-patch.mjs';
import { replaceFolder } from './fresh-folder.mjs';
import { makeFolder } from './make-folder.mjs';
import { hashTexts, isStamped } from './stamp.mjs';

/**
 * The core, the Python backend and the caches of an installed Triton (its layout: lib/, backends/, caches/) laid out as
 * those of the wheel, so that nothing else has to know of two layouts. The core is copied, since its payload pool is
 * enlarged; the libraries beside it and the rest are links or copies that keep their places to each other.
 */
export function installedCore({ tritonHome, toolchain }) {
  const folder = join(toolchain, 'triton');
  const core = join(tritonHome, 'lib', 'libtritonserver.so');
  const inputs = () => hashTexts([tritonHome, existsSync(core) ? String(statSync(core).mtimeMs) : 'absent']);
  return {
    name: 'TritonCore',
    tools: [],
    needs: [],
    isDone: () => isStamped(folder, inputs()),
    run: () => replaceFolder(folder, inputs(), (fresh) => layOut(tritonHome, core, fresh)),
  };
}

function layOut(tritonHome, core, folder) {
  if (!existsSync(core))
    throw new SetUpError(`TRITON_HOME is ${tritonHome}, which has no lib/libtritonserver.so`);
  const libraries = join(folder, 'nvidia_pytriton.libs');
  const server = join(folder, 'pytriton', 'tritonserver');
  makeFolder(libraries);
  makeFolder(server);
  copyCore(core, join(libraries, 'libtritonserver.so'));
  linkBeside(join(tritonHome, 'lib'), libraries);
  copyPythonBackend(join(tritonHome, 'backends', 'python'), server);
  const caches = join(tritonHome, 'caches');
  if (existsSync(caches)) symlinkSync(caches, join(server, 'caches'));
}

/** Another version of the core may have another pool, or none to enlarge: that is told and no fault. */
function copyCore(from, to) {
  copyFileSync(from, to);
  try {
    enlargePayloadPool(to);
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    console.error(
      `the core in ${from} is used as it is; its payload pool is not the one that we enlarge (ADR 0010)`,
    );
  }
}

/** A run path of $ORIGIN finds what it found before. */
function linkBeside(from, to) {
  for (const name of readdirSync(from)) {
    if (name.includes('.so') && !existsSync(join(to, name))) symlinkSync(join(from, name), join(to, name));
  }
}

/** A copy, since our own stub takes the place of its own; that one stays with those for other Pythons. */
function copyPythonBackend(from, server) {
  if (!existsSync(from)) return;
  const to = join(server, 'backends', 'python');
  cpSync(from, to, { recursive: true, dereference: true });
  const stub = join(from, 'triton_python_backend_stub');
  const version = pythonOf(stub);
  if (version === null) return;
  const stubs = join(server, 'python_backend_stubs', version);
  makeFolder(stubs);
  copyFileSync(stub, join(stubs, 'triton_python_backend_stub'));
}

/** The Python that a stub was linked with, "3.10" say, by the library that it names. */
function pythonOf(stub) {
  if (!existsSync(stub)) return null;
  return /libpython(3\.\d+)/.exec(readFileSync(stub, 'latin1'))?.[1] ?? null;
}
