import { spawn } from 'node:child_process';
import { projectRoot } from '../setup/places.mjs';
import { megabytes } from './claims.mjs';
import { execute } from './docker.mjs';

const revision = 'org.opencontainers.image.revision';

/** Builds the Dockerfile out of the last commit: what lies about in a checkout has no part in it. */
export async function buildImage(docker, image, say) {
  const commit = (await execute('git', ['rev-parse', '--short', 'HEAD'], { cwd: projectRoot })).stdout.trim();
  say(`building ${image} of ${commit}`);
  const begun = Date.now();
  const archive = spawn('git', ['archive', commit], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await docker.build(image, '-', ['--label', `${revision}=${commit}`], { input: archive.stdout });
  const seconds = Math.round((Date.now() - begun) / 1000);
  return { buildSeconds: seconds, ...(await measured(docker, image)) };
}

/** What an image is that is there. */
export async function measured(docker, image) {
  const { Size, Config, RootFS } = (await docker.json(['image', 'inspect', image]))[0];
  return {
    image,
    commit: Config.Labels?.[revision] ?? 'unknown',
    megabytes: megabytes(Size),
    layers: RootFS.Layers.length,
    ownLayersMegabytes: await ownLayers(docker, image),
    user: Config.User,
  };
}

/** What each COPY of ours adds, from 1 MB. */
async function ownLayers(docker, image) {
  const history = await docker.read([
    'history',
    '--no-trunc',
    '--human=false',
    '--format',
    '{{json .}}',
    image,
  ]);
  const entries = history
    .split('\n')
    .map((line) => JSON.parse(line))
    .map(({ Size, CreatedBy }) => [placeOf(CreatedBy), megabytes(Number(Size))])
    .filter(([place, size]) => place?.startsWith('./') && size >= 1);
  return Object.fromEntries(entries.reverse());
}

/** `COPY … in /roundhouse/dist` or `COPY --from=build … ./dist`, by the builder. */
function placeOf(instruction) {
  const [, place] =
    /^(?:\/bin\/sh -c #\(nop\) )?COPY .* (?:in )?(\S+)\s*(?:#.*)?$/.exec(instruction.trim()) ?? [];
  return place ?? null;
}
