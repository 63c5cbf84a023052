import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { stopCommands } from './setup/command.mjs';
import { failureText } from './setup/failure-text.mjs';
import { productSteps, setUp } from './setup/index.mjs';
import { projectRoot } from './setup/places.mjs';

const sameSignalMs = 1_000;

export const isHelp = (word) => word === '--help' || word === '-h';

/**
 * Sets up what is missing, then runs a built program and ends as it ends. A Ctrl-C arrives here from the
 * terminal and from npm; the program, in a process group of its own, gets it once.
 */
export async function runBuilt(entry, args, steps = productSteps) {
  const handOver = takeSignals();
  try {
    await setUp({
      only: args.some(isHelp) ? ['npm', 'typescript'] : steps.filter((step) => isNeededHere(step)),
    });
  } catch (error) {
    if (handOver.stopped()) process.exit(130);
    const text = failureText(error);
    console.error(text === null ? error : `\nset-up failed: ${text}`);
    process.exit(1);
  }
  if (handOver.stopped()) process.exit(130);
  const child = spawnEndingWithUs(['--enable-source-maps', join(projectRoot, entry), ...args]);
  handOver.to(child);
  child.once('error', (error) => {
    console.error(error.message);
    process.exit(1);
  });
  child.once('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}

/** A broker or Redis of one's own need not be set up. */
function isNeededHere(step, { KAFKA_BROKERS, REDIS_URL } = process.env) {
  return !(step === 'kafka' && KAFKA_BROKERS) && !(step === 'redis' && REDIS_URL);
}

/** setpriv (util-linux) has the kernel end the program should this process be killed. */
function spawnEndingWithUs(args) {
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path));
  const command = [process.execPath, ...args];
  if (setpriv !== undefined) command.unshift(setpriv, '--pdeathsig', 'TERM', '--');
  return spawn(command[0], command.slice(1), { stdio: 'inherit', detached: true });
}

function takeSignals() {
  let child = null;
  let stopped = false;
  const lastAt = new Map();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      const now = Date.now();
      if (now - (lastAt.get(signal) ?? 0) < sameSignalMs) return;
      lastAt.set(signal, now);
      stopped = true;
      if (child === null) stopCommands();
      else child.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
    });
  }
  return { to: (started) => (child = started), stopped: () => stopped };
}
