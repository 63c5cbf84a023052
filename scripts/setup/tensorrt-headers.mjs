import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { checksumFaults, parseChecksums } from './checksums.mjs';
import { runLogged, SetUpError } from './command.mjs';
import { replaceFolder } from './fresh-folder.mjs';
import { hashFiles, isStamped } from './stamp.mjs';

const crate = 'trtx-sys';
const inCrate = join('TensorRT-Headers', 'TRT-Enterprise-10.16');
const platform = 'x86_64-unknown-linux-gnu';

/** The headers can't be fetched from here; nothing is wrong with them. */
export class NetworkMissing extends SetUpError {}

/** Cargo's words, mostly curl's. */
const noNetwork =
  /could not (resolve|connect)|couldn't (resolve|connect)|failed to connect|connection (refused|timed out|reset)|network is unreachable|network failure|timeout was reached|operation timed out|CONNECT tunnel failed/i;

/** By its error, where there is one: a warning may be of a try that was followed by a better one. */
export const saysNoNetwork = (text) => noNetwork.test(text.slice(text.lastIndexOf('\nerror:') + 1));

/**
 * TensorRT's headers by Cargo, out of a crate that carries them; each must have the hash in
 * toolchain/tensorrt/headers.sha256. Only builds for GPUs use them.
 */
export function tensorrtHeaders(places) {
  const project = join(places.root, 'toolchain', 'tensorrt');
  const list = join(project, 'headers.sha256');
  const folder = join(places.toolchain, 'tensorrt-headers');
  const inputs = () => hashFiles(places.root, [join(project, 'Cargo.toml'), list]);
  return {
    name: "TensorRT's headers",
    tools: ['cargo'],
    needs: [],
    isDone: () => isStamped(folder, inputs()),
    run: () => replaceFolder(folder, inputs(), (fresh) => fetchHeaders(project, list, fresh, places.logs)),
  };
}

/** In a copy of the project, where Cargo may write its lock file: what counts are the hashes of the headers. */
async function fetchHeaders(project, list, folder, logs) {
  const copy = mkdtempSync(join(tmpdir(), 'roundhouse-tensorrt-'));
  try {
    cpSync(project, copy, { recursive: true });
    const manifest = ['--manifest-path', join(copy, 'Cargo.toml')];
    const log = join(logs, 'setup-cargo.log');
    await fetchCrate(['fetch', '--target', platform, ...manifest], log);
    copyHeaders(join(crateFolder(manifest), inCrate), list, folder);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

async function fetchCrate(args, log) {
  try {
    await runLogged('cargo', args, { log });
  } catch (error) {
    throw saysNoNetwork(error.message) ? new NetworkMissing(error.message) : error;
  }
}

function copyHeaders(from, list, folder) {
  const expected = parseChecksums(readFileSync(list, 'utf8'));
  for (const name of expected.keys()) copyFileSync(join(from, name), join(folder, name));
  const faults = checksumFaults(folder, expected);
  if (faults.length > 0) {
    throw new SetUpError(`TensorRT's headers differ from ${list}:\n  ${faults.join('\n  ')}`);
  }
}

/** Where Cargo keeps what it fetched. */
function crateFolder(manifest) {
  const args = ['metadata', '--format-version', '1', '--offline', '--filter-platform', platform, ...manifest];
  const { status, stdout, stderr } = spawnSync('cargo', args, { encoding: 'utf8', maxBuffer: 64 << 20 });
  if (status !== 0) throw new SetUpError(`cargo ${args.join(' ')}: ${stderr}`);
  const found = JSON.parse(stdout).packages.find(({ name }) => name === crate);
  return dirname(found.manifest_path);
}
