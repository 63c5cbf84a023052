import { chmodSync, copyFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unpackDebianPackage } from './debian-package.mjs';
import { replaceFolder } from './fresh-folder.mjs';
import { orSayWhy } from './or-say-why.mjs';
import { hashFiles, isStamped } from './stamp.mjs';

const packages = ['redis-tools', 'libjemalloc2', 'liblzf1'];

/** A redis-server that speaks TLS, out of Debian's packages: that of the wheel does not. Only tests use it. */
export function redisWithTls(places) {
  const pins = packages.map((name) => join(places.root, 'toolchain', 'debian', `${name}.txt`));
  const folder = join(places.toolchain, 'redis-tls');
  const inputs = () => hashFiles(places.root, pins);
  const take = (fresh) => takeProgram(pins, fresh, places.logs);
  return {
    name: 'Redis with TLS',
    tools: [],
    needs: [],
    isDone: () => isStamped(folder, inputs()),
    run: () => orSayWhy(places, 'redis-tls', () => replaceFolder(folder, inputs(), take)),
  };
}

/** The program, and beside it the libraries that not every machine has. */
async function takeProgram(pins, folder, logs) {
  for (const [index, pin] of pins.entries()) {
    const unpacked = join(folder, `.package-${index}`);
    await unpackDebianPackage(pin, unpacked, join(logs, `setup-redis-tls-${index}.log`));
    if (index === 0)
      copyFileSync(join(unpacked, 'usr', 'bin', 'redis-check-rdb'), join(folder, 'redis-server'));
    else copyLibraries(join(unpacked, 'usr', 'lib'), folder);
    rmSync(unpacked, { recursive: true });
  }
  chmodSync(join(folder, 'redis-server'), 0o755);
}

function copyLibraries(from, folder) {
  const [machine] = readdirSync(from);
  for (const name of readdirSync(join(from, machine))) {
    if (/\.so\.\d+$/.test(name)) copyFileSync(join(from, machine, name), join(folder, name));
  }
}
