import { existsSync, readFileSync, rmSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { runLogged } from './command.mjs';
import { filesUnder, hashFiles, isStamped, writeStamp } from './stamp.mjs';

const isNativeSource = (name) => /(\.(c|cc|cpp|cu|cuh|h|hpp|in|cmake|def|map)|^CMakeLists\.txt)$/.test(name);

/** The addons and backends that the services load; built again when one of their sources changed. */
export function nativeBuild(places) {
  return {
    name: 'native build (CMake)',
    tools: ['cmake', 'compiler'],
    needs: ['npm packages', 'TritonCore', 'UCX'],
    ...buildOf(places, { target: 'product', stampIn: places.native, folders: ['native', 'cuda'] }),
  };
}

/** The C++ tests, with the backends that only they and the benches load: in the same build folder. */
export function nativeTests(places) {
  const folders = ['native', 'cuda', join('test', 'native'), join('test', 'gpu')];
  return {
    name: 'native tests (CMake)',
    tools: ['cmake', 'compiler'],
    needs: ['native build (CMake)'],
    ...buildOf(places, { target: 'all', stampIn: join(places.native, 'tests'), folders }),
  };
}

function buildOf(places, { target, stampIn, folders }) {
  // The place counts: backends and addons hold absolute paths, so a moved checkout is built again.
  const inputs = () => `${hashFiles(places.root, nativeInputs(places, folders))} ${places.root}`;
  return {
    isDone: () => !existsSync(join(places.root, 'CMakeLists.txt')) || isStamped(stampIn, inputs()),
    run: async () => {
      const from = inputs();
      await build(places, target);
      writeStamp(stampIn, from);
    },
  };
}

function nativeInputs({ root, toolchain }, folders) {
  return [
    join(root, 'CMakeLists.txt'),
    join(toolchain, 'triton', '.set-up-from'),
    join(toolchain, 'tensorrt-headers', '.set-up-from'),
    join(toolchain, 'ucx', '.set-up-from'),
    ...['node-addon-api', 'node-api-headers', 'onnxruntime-node'].map((name) =>
      join(root, 'node_modules', name, 'package.json'),
    ),
    ...folders.flatMap((folder) => filesUnder(join(root, folder), isNativeSource)),
  ];
}

async function build({ root, native, logs }, target) {
  forgetMovedTree(root, native);
  const log = join(logs, `setup-native-${target}.log`);
  const jobs = process.env.CMAKE_BUILD_PARALLEL_LEVEL ?? String(cpus().length);
  await runLogged('cmake', ['-S', root, '-B', native, '-DCMAKE_BUILD_TYPE=Release'], { log });
  await runLogged('cmake', ['--build', native, '--parallel', jobs, '--target', target], { log });
}

/** CMake refuses a build folder that was made for another place. */
export function forgetMovedTree(root, native) {
  const cache = join(native, 'CMakeCache.txt');
  if (!existsSync(cache)) return;
  const home = /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(readFileSync(cache, 'utf8'))?.[1];
  if (home !== root) rmSync(native, { recursive: true });
}
