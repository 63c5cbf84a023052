import { cpSync, existsSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spawn } from 'node:child_process';
import { setUp } from '../setup/index.mjs';
import { makeFolder } from '../setup/make-folder.mjs';
import { readPin, requirePinned } from '../setup/pin.mjs';
import { placesOf, projectRoot } from '../setup/places.mjs';
import { execute, hasProgram, ImagesError } from './docker.mjs';

/** Images that Dockerfile and docker-compose.yml name, and what makes one of the kind out of packages. */
const makers = {
  'debian:bookworm-slim': makeDebian,
  'node:20-bookworm-slim': (docker, name) => makeNode(docker, name, 'slim'),
  'node:20-bookworm': (docker, name) => makeNode(docker, name, 'build'),
  'apache/kafka': (docker, name) => makeOf(docker, name, 'kafka', [kafkaJars]),
  redis: (docker, name) => makeOf(docker, name, 'redis', []),
  'prom/prometheus': (docker, name) => makeOf(docker, name, 'prometheus', [prometheusProgram]),
};

const makerOf = (name) => makers[name] ?? makers[name.replace(/:[^:]*$/, '')];

/** Pulls each image; one that can't be pulled is made. Resolves to the names of those that stand in. */
export async function provide(docker, names, say) {
  const made = [];
  for (const name of names) {
    if (await docker.hasImage(name)) {
      if (await isStandIn(docker, name)) made.push(name);
    } else if ((await docker.run(['pull', '--quiet', name], { mayFail: true })).code !== 0) {
      say(`${name} can't be pulled: making one that stands in`);
      if (makerOf(name) === undefined) throw new ImagesError(`nothing stands in for ${name}`);
      await makerOf(name)(docker, name, say);
      made.push(name);
    }
  }
  return made;
}

const label = 'roundhouse.stands-in';

async function isStandIn(docker, name) {
  const { Config } = (await docker.json(['image', 'inspect', name]))[0];
  return Config.Labels?.[label] !== undefined;
}

/** The least of Debian, by debootstrap. */
async function makeDebian(docker, name) {
  if (!hasProgram('debootstrap')) throw new ImagesError('no debootstrap (Debian: debootstrap)');
  await withFolder(async (folder) => {
    const root = join(folder, 'root');
    await execute('debootstrap', ['--variant=minbase', 'bookworm', root]);
    for (const path of ['var/cache/apt', 'var/lib/apt/lists', 'var/log']) {
      rmSync(join(root, path), { recursive: true, force: true });
      makeFolder(join(root, path));
    }
    const tar = spawn('tar', ['-C', root, '-c', '.'], { stdio: ['ignore', 'pipe', 'inherit'] });
    const changes = ['-c', 'CMD ["bash"]', '-c', `LABEL ${label}=${name}`];
    await docker.run(['import', ...changes, '-', name], { input: tar.stdout });
  });
}

async function makeNode(docker, name, target) {
  await provide(docker, ['debian:bookworm-slim'], () => undefined);
  await makeOf(docker, name, 'node', [nodeFiles], ['--target', target]);
}

/** Builds ops/images/<folder>, with what the fillers lay beside its Dockerfile. */
async function makeOf(docker, name, folder, fillers, args = []) {
  await provide(docker, ['debian:bookworm-slim'], () => undefined);
  await withFolder(async (context) => {
    cpSync(join(projectRoot, 'ops', 'images', folder), context, { recursive: true });
    for (const fill of fillers) await fill(context);
    const labels = ['--label', `${label}=${name}`];
    await docker.build(name, context, [...labels, ...args]);
  });
}

async function nodeFiles(context) {
  const pin = readPin(join(projectRoot, 'toolchain', 'npm', 'node.txt'));
  const pack = ['pack', '--ignore-scripts', '--pack-destination', context, pin.wanted];
  const archive = join(context, (await execute('npm', pack)).stdout.trim().split('\n').at(-1));
  requirePinned(archive, pin);
  await execute('tar', ['-xzf', archive, '-C', context]);
  const local = join(context, 'usr', 'local');
  makeFolder(join(local, 'lib', 'node_modules'));
  for (const part of ['bin', 'include']) {
    cpSync(join(context, 'package', part), join(local, part), { recursive: true });
  }
  const npm = (await execute('npm', ['root', '--global'])).stdout.trim();
  cpSync(join(npm, 'npm'), join(local, 'lib', 'node_modules', 'npm'), { recursive: true });
  for (const program of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${program}-cli.js`, join(local, 'bin', program));
  }
  cpSync('/etc/ssl/certs/ca-certificates.crt', join(context, 'ca-certificates.crt'));
}

async function kafkaJars(context) {
  await setUp({ only: ['kafka'] });
  cpSync(join(placesOf().toolchain, 'kafka'), join(context, 'libs'), {
    recursive: true,
    filter: (path) => !/\.set-up-from$/.test(path),
  });
}

async function prometheusProgram(context) {
  await setUp({ only: ['prometheus'] });
  const program = join(placesOf().toolchain, 'prometheus', 'prometheus');
  if (!existsSync(program)) throw new ImagesError('no prometheus: npm run setup says why');
  cpSync(program, join(context, 'prometheus'));
}

async function withFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-image-'));
  try {
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
