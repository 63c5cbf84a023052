import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runLogged, SetUpError } from './command.mjs';
import { makeFolder } from './make-folder.mjs';
import { readPin, requirePinned } from './pin.mjs';

/** Downloads the one package of a pin file and unpacks it into `folder`, without root. */
export async function unpackDebianPackage(pinFile, folder, log) {
  const pin = readPin(pinFile);
  const downloads = join(folder, '.download');
  makeFolder(downloads);
  await download(pin.wanted, downloads, log);
  const name = readdirSync(downloads).find((entry) => entry.endsWith('.deb'));
  if (name === undefined) throw new SetUpError(`apt-get brought no package for ${pin.wanted}`);
  requirePinned(join(downloads, name), pin);
  await runLogged('dpkg-deb', ['-x', join(downloads, name), folder], { log: `${log}.unpack.log` });
}

/** By the machine's own list of packages; where that is absent or old, by one that is fetched for this alone. */
async function download(wanted, downloads, log) {
  const options = { cwd: downloads, log };
  try {
    await runLogged('apt-get', ['-q', 'download', wanted], options);
  } catch {
    const lists = join(downloads, 'lists');
    const cache = join(downloads, 'cache');
    makeFolder(join(lists, 'partial'));
    makeFolder(join(cache, 'archives', 'partial'));
    const own = ['-q', '-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${cache}`];
    await runLogged('apt-get', [...own, 'update'], options);
    await runLogged('apt-get', [...own, 'download', wanted], options);
  }
}
