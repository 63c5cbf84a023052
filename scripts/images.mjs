#!/usr/bin/env node
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { skipped } from './checks/skip.mjs';
import { buildImage, measured } from './images/build.mjs';
import { daemonHere, ownDaemon, whyNoDaemon } from './images/daemon.mjs';
import { composeCommand, ImagesError } from './images/docker.mjs';
import { namedImages } from './images/pipeline.mjs';
import { provide } from './images/stand-ins.mjs';
import { tryOut } from './images/try-out.mjs';
import { readFlags } from './flags.mjs';
import { setUp } from './setup/index.mjs';
import { projectRoot } from './setup/places.mjs';

const usage = `usage: npm run images -- [--folder DIR] [--image NAME] [--write]

Builds the image of the last commit with Docker, starts docker-compose.yml (profile obs, without Grafana) from it, lets
rounds through to their decisions and checks what docs/deployment.md says of containers. Prints one JSON object; ends
with 1 where something doesn't hold, with 77 and the reason where Docker or Compose is absent.

Where no Docker daemon answers, root gets one of its own: Debian's docker.io, debootstrap, iptables. Images that can't be
pulled are made out of packages (ops/images).
  --folder DIR   where a daemon of its own keeps its images, for the next run; else a temporary folder
  --image NAME   tries this image, which must be there, instead of building one
  --write        writes test/bench/results/images.json`;

const say = (line) => console.error(line);

/** Asks `use` with the daemon that is there, or with one of our own, which is stopped afterwards. */
async function withDaemon(folder, options, use) {
  const daemon = daemonHere() ?? (await ownDaemon(folder, options));
  try {
    return await use(daemon);
  } finally {
    await daemon.stop();
  }
}

const built = (docker, image) =>
  image === undefined ? buildImage(docker, 'roundhouse:images', say) : measured(docker, image);

async function main({ folder, image, write }) {
  await setUp({ only: ['npm', 'typescript'] });
  const { bases, images } = namedImages();
  const needed = [...(image === undefined ? bases : []), images.broker, images.redis, images.prometheus];
  const made = await withDaemon(folder, { isAlone: false }, async ({ docker }) => {
    const standIns = await provide(docker, needed, say);
    return { standIns, ...(await built(docker, image)) };
  });
  const tried = await withDaemon(folder, { isAlone: true }, (daemon) => tryOut(daemon, made.image, say));
  const result = { date: new Date().toISOString().slice(0, 10), ...made, ...tried };
  console.log(JSON.stringify(result, null, 2));
  if (write)
    writeFileSync(
      join(projectRoot, 'test', 'bench', 'results', 'images.json'),
      `${JSON.stringify(result, null, 2)}\n`,
    );
  process.exitCode = result.faults.length === 0 ? 0 : 1;
}

const values = readFlags(usage, {
  folder: { type: 'string' },
  image: { type: 'string' },
  write: { type: 'boolean', default: false },
});
const reason = whyNoDaemon() ?? (composeCommand() === null ? 'no docker compose' : null);
if (reason !== null) {
  console.log(`not made: ${reason}`);
  process.exitCode = skipped;
} else {
  const temporary = values.folder === undefined ? mkdtempSync(join(tmpdir(), 'roundhouse-images-')) : null;
  try {
    await main({ ...values, folder: temporary ?? resolve(values.folder) });
  } catch (error) {
    if (!(error instanceof ImagesError)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  } finally {
    if (temporary !== null) rmSync(temporary, { recursive: true, force: true });
  }
}
