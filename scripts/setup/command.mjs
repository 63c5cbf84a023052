import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.mjs';

/** A failure that the user can read as it is: no stack is shown for it. */
export class SetUpError extends Error {}

const running = new Set();

/** Ends the commands in flight, with their children; called when set-up is interrupted. */
export function stopCommands() {
  signalGroups('SIGTERM');
  setTimeout(() => signalGroups('SIGKILL'), 1_000).unref();
}

function signalGroups(signal) {
  for (const child of running) {
    try {
      process.kill(-child.pid, signal);
    } catch {
      child.kill(signal);
    }
  }
}

/** Runs a command with its output in a log file; the end of the log is in the error when it fails. */
export function runLogged(file, args, { log, cwd, env }) {
  makeFolder(dirname(log));
  const output = openSync(log, 'w');
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', output, output], detached: true });
  closeSync(output);
  running.add(child);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => {
      running.delete(child);
      reject(new SetUpError(`${file} could not be started: ${error.message}`));
    });
    child.once('exit', (code, signal) => {
      running.delete(child);
      if (code === 0) resolve();
      else reject(new SetUpError(failureText([file, ...args], code ?? signal, log)));
    });
  });
}

function failureText(words, code, log) {
  const tail = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-25).join('\n');
  return `${words.join(' ')}\nended with ${code}. The end of ${log}:\n${tail}`;
}
