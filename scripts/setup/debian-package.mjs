import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from './checksums.mjs';
import { runLogged, SetUpError } from './command.mjs';
import { makeFolder } from './make-folder.mjs';

/** Downloads the one package of a pin file ("name=version sha256:hash") and unpacks it, without root. */
export async function unpackDebianPackage(pinFile, folder, log) {
  const { wanted, hash } = readPin(pinFile);
  const downloads = join(folder, '.download');
  makeFolder(downloads);
  await download(wanted, downloads, log);
  const file = join(downloads, readdirSync(downloads).find((name) => name.endsWith('.deb')) ?? 'no-package');
  const actual = sha256Of(file);
  if (actual !== hash) throw new SetUpError(`${wanted} has sha256 ${actual}, ${pinFile} says ${hash}`);
  await runLogged('dpkg-deb', ['-x', file, folder], { log: `${log}.unpack.log` });
}

export function readPin(pinFile) {
  const pin = /^(?<wanted>[a-z0-9.+-]+=\S+) sha256:(?<hash>[0-9a-f]{64})\s*$/.exec(
    readFileSync(pinFile, 'utf8'),
  );
  if (pin === null) throw new SetUpError(`${pinFile} is not "name=version sha256:hash"`);
  return pin.groups;
}

/** By the machine's own list of packages; where that is absent or old, by one that is fetched for this alone. */
async function download(wanted, downloads, log) {
  const options = { cwd: downloads, log };
  try {
    await runLogged('apt-get', ['-q', 'download', wanted], options);
  } catch {
    const places = ['State::lists', 'Cache'].map((name) => [name, join(downloads, name.replace('::', '-'))]);
    makeFolder(join(places[0][1], 'partial'));
    makeFolder(join(places[1][1], 'archives', 'partial'));
    const own = places.flatMap(([name, folder]) => ['-o', `Dir::${name}=${folder}`]);
    await runLogged('apt-get', ['-q', ...own, 'update'], options);
    await runLogged('apt-get', ['-q', ...own, 'download', wanted], options);
  }
}
