import { cpSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { replaceFolder } from './fresh-folder.mjs';
import { hashFiles, isStamped } from './stamp.mjs';
import { unpackWheel } from './wheels.mjs';

/**
 * Not of the wheel's libraries: static archives, second copies, what reports crashes, and the modules for memory of GPUs: a
 * supervisor holds none, and such a module would open a context on every GPU that it finds.
 */
const leftOut = /\.l?a$|\.so\.0\.0\.0$|^(cmake|pkgconfig)$|^libucs_signal\.|_cuda\./;

/**
 * UCX, the remote data plane's library, and its headers out of the wheel libucx-cu13. It is opened at run time where
 * it is; the addon is built where the headers are.
 */
export function ucxLibrary(places) {
  const requirements = join(places.root, 'toolchain', 'wheels', 'ucx.txt');
  const folder = join(places.toolchain, 'ucx');
  const inputs = () => hashFiles(places.root, [requirements]);
  return {
    name: 'UCX',
    tools: ['python'],
    needs: [],
    isDone: () => isStamped(folder, inputs()),
    run: () => replaceFolder(folder, inputs(), (fresh) => takeLibrary(requirements, fresh, places.logs)),
  };
}

async function takeLibrary(requirements, folder, logs) {
  const unpacked = join(folder, '.wheel');
  await unpackWheel(requirements, unpacked, join(logs, 'setup-ucx.log'));
  const filter = (from) => !leftOut.test(basename(from));
  for (const part of ['include', 'lib']) {
    cpSync(join(unpacked, 'libucx', part), join(folder, part), { recursive: true, filter });
  }
  rmSync(unpacked, { recursive: true });
}
