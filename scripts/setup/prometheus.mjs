import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SetUpError } from './command.mjs';
import { unpackDebianPackage } from './debian-package.mjs';
import { replaceFolder } from './fresh-folder.mjs';
import { makeFolder } from './make-folder.mjs';
import { hashFiles, isStamped } from './stamp.mjs';

/**
 * prometheus and promtool out of Debian's package; only tests use them. Where it can't be had,
 * `.roundhouse/prometheus-missing.txt` says why, and these tests are skipped with the reason.
 */
export function prometheusPrograms(places) {
  const pin = join(places.root, 'toolchain', 'debian', 'prometheus.txt');
  const folder = join(places.toolchain, 'prometheus');
  const reason = prometheusMissing(places);
  const inputs = () => hashFiles(places.root, [pin]);
  return {
    name: 'Prometheus',
    tools: [],
    needs: [],
    isDone: () => isStamped(folder, inputs()),
    run: async () => {
      rmSync(reason, { force: true });
      try {
        await replaceFolder(folder, inputs(), (fresh) => takePrograms(pin, fresh, places.logs));
      } catch (error) {
        if (!(error instanceof SetUpError)) throw error;
        makeFolder(places.state);
        writeFileSync(reason, error.message);
      }
    },
  };
}

/** The file with the reason why there is no Prometheus, where there is none. */
export const prometheusMissing = (places) => join(places.state, 'prometheus-missing.txt');

async function takePrograms(pin, folder, logs) {
  const unpacked = join(folder, '.package');
  await unpackDebianPackage(pin, unpacked, join(logs, 'setup-prometheus.log'));
  for (const program of ['prometheus', 'promtool']) {
    copyFileSync(join(unpacked, 'usr', 'bin', program), join(folder, program));
  }
  rmSync(unpacked, { recursive: true });
}
