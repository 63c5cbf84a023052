import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unpackDebianPackage } from './debian-package.mjs';
import { replaceFolder } from './fresh-folder.mjs';
import { orSayWhy } from './or-say-why.mjs';
import { hashFiles, isStamped } from './stamp.mjs';

/** prometheus and promtool out of Debian's package; only tests use them (or-say-why.mjs). */
export function prometheusPrograms(places) {
  const pin = join(places.root, 'toolchain', 'debian', 'prometheus.txt');
  const folder = join(places.toolchain, 'prometheus');
  const inputs = () => hashFiles(places.root, [pin]);
  const take = (fresh) => takePrograms(pin, fresh, places.logs);
  return {
    name: 'Prometheus',
    tools: [],
    needs: [],
    isDone: () => isStamped(folder, inputs()),
    run: () => orSayWhy(places, 'prometheus', () => replaceFolder(folder, inputs(), take)),
  };
}

async function takePrograms(pin, folder, logs) {
  const unpacked = join(folder, '.package');
  await unpackDebianPackage(pin, unpacked, join(logs, 'setup-prometheus.log'));
  for (const program of ['prometheus', 'promtool']) {
    copyFileSync(join(unpacked, 'usr', 'bin', program), join(folder, program));
  }
  rmSync(unpacked, { recursive: true });
}
