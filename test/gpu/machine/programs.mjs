import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Programs of a folder of the build whose name ends so, in order. */
export function programsIn(folder, ending) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort();
}

/** Shows the output as it comes and keeps the end of it. */
const keptCharacters = 200_000;

/** Runs a program to its end, or kills its process group at the limit. */
export function runShown(command, args, { cwd, env, limitMs }) {
  const startedAt = Date.now();
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const kept = { out: '', all: '' };
    const take = (name, stream) => (chunk) => {
      stream.write(chunk);
      kept.all = (kept.all + chunk).slice(-keptCharacters);
      if (name === 'out') kept.out = (kept.out + chunk).slice(-keptCharacters);
    };
    child.stdout.setEncoding('utf8').on('data', take('out', process.stdout));
    child.stderr.setEncoding('utf8').on('data', take('err', process.stderr));
    const timer = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), limitMs);
    child.once('error', (error) => (kept.all += error.message));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      const seconds = (Date.now() - startedAt) / 1_000;
      const reason = signal === null ? `exit code ${code}` : `${signal} after ${seconds.toFixed(0)} s`;
      resolve({ ok: code === 0, code, reason, seconds, standardOutput: kept.out, output: kept.all });
    });
  });
}

/** As one would type it, with places of the checkout relative to it. */
export function asTyped(root, command, args) {
  const short = (word) => (word.startsWith(`${root}/`) ? word.slice(root.length + 1) : word);
  return [command === process.execPath ? 'node' : short(command), ...args.map(short)].join(' ');
}

export function programPath({ build }, folder, name) {
  return join(build, folder, name);
}
