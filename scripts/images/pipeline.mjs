import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../setup/places.mjs';
import { changedPaths, containerFaults, megabytes, stopFaults } from './claims.mjs';
import { inNetwork } from './daemon.mjs';

/** The services of the Compose file that are ours and stay. */
export const ours = ['ingest', 'worker', 'aggregator', 'ops'];
const project = 'roundhouse-images';

/** docker-compose.yml as a project of its own, with the images that are there. */
export class Pipeline {
  constructor({ docker, within }, image) {
    this.docker = docker;
    this.within = within;
    this.image = image;
    this.scaled = [];
  }

  compose(args, options) {
    const file = ['--project-name', project, '--file', join(projectRoot, 'docker-compose.yml')];
    const extraEnv = { ROUNDHOUSE_IMAGE: this.image };
    return this.docker.composed([...file, ...args], { extraEnv, cwd: projectRoot, ...options });
  }

  /** Ends when every health check passes; dependencies are waited for in the order of the file. */
  async up(services, args = []) {
    this.scaled = args;
    await this.compose(['--profile', 'obs', 'up', '--detach', '--no-build', ...args, ...services]);
  }

  async containers(service) {
    return (await this.compose(['ps', '--all', '--quiet', service])).stdout
      .trim()
      .split('\n')
      .filter(Boolean);
  }

  async inspect(container) {
    return (await this.docker.json(['inspect', container]))[0];
  }

  /** Waits until each container of `services` is healthy, or the limit is over: containerFaults says so then. */
  async healthy(services, limitMs = 180_000) {
    const until = Date.now() + limitMs;
    for (const service of services) {
      for (const container of await this.containers(service)) {
        while ((await this.inspect(container)).State.Health?.Status !== 'healthy' && Date.now() < until)
          await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
  }

  async faults() {
    const found = [];
    for (const service of ours) {
      for (const container of await this.containers(service)) {
        const inspected = await this.inspect(container);
        const status = await this.docker.read(['exec', container, 'cat', '/proc/1/status'], {
          mayFail: true,
        });
        const mounts = [...inspected.Mounts.map(({ Destination }) => Destination), ...tmpfsOf(inspected)];
        const changed = changedPaths(await this.docker.read(['diff', container]), mounts);
        const faults = containerFaults({ inspected, status, changed });
        found.push(...faults.map((fault) => `${service}: ${fault}`));
      }
    }
    return found;
  }

  /** The most memory that each service's first process was resident with so far, in MB. */
  async residentMegabytes() {
    const peaks = {};
    for (const service of ours) {
      const [container] = await this.containers(service);
      const status = await this.docker.read(['exec', container, 'cat', '/proc/1/status']);
      peaks[service] = megabytes(Number(/^VmHWM:\s*(\d+) kB$/m.exec(status)[1]) * 1024);
    }
    return peaks;
  }

  /** Stops all, in the reverse order of their dependencies; sentences about those of ours that didn't end in order. */
  async stop() {
    await this.compose(['--profile', 'obs', 'stop']);
    const found = [];
    for (const service of ours) {
      for (const container of await this.containers(service))
        found.push(...stopFaults(await this.inspect(container)).map((fault) => `${service}: ${fault}`));
    }
    return found;
  }

  down() {
    return this.compose(
      ['--profile', 'obs', '--profile', 'replay', '--profile', 'tools', 'down', '--volumes'],
      {
        mayFail: true,
      },
    );
  }

  /** The texts of URLs on ports that the Compose file publishes, asked where the daemon's network is. */
  async fetched(urls) {
    const program = `(async () => {
      const texts = [];
      for (const url of ${JSON.stringify(urls)}) {
        const answer = await fetch(url);
        if (!answer.ok) throw new Error(url + ' answers ' + answer.status);
        texts.push(await answer.text());
      }
      process.stdout.write(JSON.stringify(texts));
    })()`;
    return JSON.parse((await inNetwork(this.within, process.execPath, ['-e', program])).stdout);
  }
}

const tmpfsOf = ({ HostConfig }) => Object.keys(HostConfig.Tmpfs ?? {});

/** The images that the Compose file and the Dockerfile ask a registry for. */
export function namedImages() {
  const { services } = parse(readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8'), { merge: true });
  const bases = [...readFileSync(join(projectRoot, 'Dockerfile'), 'utf8').matchAll(/^FROM (\S+)/gm)];
  const images = Object.entries(services)
    .filter(([, { build }]) => build === undefined)
    .map(([name, { image }]) => [name, image]);
  return { bases: bases.map(([, name]) => name), images: Object.fromEntries(images) };
}
