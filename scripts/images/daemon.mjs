import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeFolder } from '../setup/make-folder.mjs';
import { composeCommand, Docker, execute, hasProgram, ImagesError } from './docker.mjs';

/** Why no daemon can be had here; null where one can. */
export function whyNoDaemon() {
  if (!hasProgram('docker')) return 'no docker command (Debian: docker.io)';
  if (hasProgram('docker', ['info'])) return null;
  if (process.getuid() !== 0) return 'no Docker daemon answers, and only root can start one';
  if (!hasProgram('dockerd')) return 'no Docker daemon answers, and there is no dockerd (Debian: docker.io)';
  return hasProgram('unshare') ? null : 'no unshare (Debian: util-linux)';
}

/** The daemon that DOCKER_HOST names, or the machine's. Null where none answers. */
export function daemonHere() {
  if (!hasProgram('docker', ['info', '--format', '{{.ServerVersion}}'])) return null;
  return { docker: new Docker({ compose: composeCommand() }), within: [], stop: async () => undefined };
}

/** What a daemon gets that must not touch the network of the machine, and yet reaches registries from it. */
const forBuilds = ['--iptables=false', '--ip-forward=false', '--bridge=none'];

/**
 * A daemon of our own with its data in `folder`. For builds it has the machine's network without bridges and rules; to
 * run containers it is alone in a network namespace, so that neither its rules nor its ports meet the machine's.
 * `within` goes before commands that shall reach published ports.
 */
export async function ownDaemon(folder, { isAlone }) {
  const socket = join(folder, 'docker.sock');
  makeFolder(folder);
  const log = openSync(join(folder, 'dockerd.log'), 'a');
  const args = ['--data-root', join(folder, 'data'), '--exec-root', join(folder, 'exec')].concat(
    ['--pidfile', join(folder, 'dockerd.pid'), '-H', `unix://${socket}`],
    isAlone ? [] : forBuilds,
  );
  const [command, ...words] = isAlone
    ? ['unshare', '--net', 'sh', '-c', 'ip link set lo up && exec dockerd "$@"', 'dockerd', ...args]
    : ['dockerd', ...args];
  const child = spawn(command, words, { stdio: ['ignore', log, log], detached: true });
  closeSync(log);
  const docker = new Docker({
    host: `unix://${socket}`,
    compose: composeCommand(),
    buildArgs: ['--network', 'host'],
  });
  const stop = () => stopDaemon(child, folder);
  try {
    await answering(child, docker, join(folder, 'dockerd.log'));
  } catch (error) {
    await stop();
    throw error;
  }
  return { docker, within: isAlone ? ['nsenter', '--target', String(child.pid), '--net'] : [], stop };
}

async function answering(child, docker, log) {
  for (let tries = 0; tries < 60; tries += 1) {
    if (child.exitCode !== null || child.pid === undefined) break;
    if ((await docker.run(['info'], { mayFail: true })).code === 0) return;
    await sleep(1_000);
  }
  const tail = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').slice(-5).join('\n') : '';
  throw new ImagesError(`dockerd does not answer:\n${tail}`);
}

async function stopDaemon(child, folder) {
  if (child.exitCode === null && child.signalCode === null && child.pid !== undefined) {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
  }
  // It leaves some, and a folder with a mount in it can't be removed.
  const mounts = mountsBelow(folder, readFileSync('/proc/self/mounts', 'utf8'));
  for (const mount of mounts) await execute('umount', [mount], { mayFail: true });
}

/** Places of mounts in a folder, the innermost first, out of /proc/self/mounts. */
export function mountsBelow(folder, text) {
  const places = text.split('\n').map((line) => line.split(' ')[1] ?? '');
  return places.filter((place) => place.startsWith(`${folder}/`)).reverse();
}

/** The outside of a program whose names Node can't resolve in another namespace. */
export const inNetwork = (within, command, args, options) => {
  const [first, ...rest] = [...within, command, ...args];
  return execute(first, rest, options);
};
