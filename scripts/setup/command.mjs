import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { dirname } from 'node:path';
import { makeFolder } from './make-folder.mjs';

/** A failure that the user can read as it is: no stack is shown for it. */
export class SetUpError extends Error {}

/** Each command in flight, with the step that it is of and its log. */
const running = new Map();
const stepOf = new AsyncLocalStorage();
const logTailBytes = 4_096;

/** Commands that `run` starts are those of this step. */
export const asStep = (name, run) => stepOf.run(name, run);

/** What the command of a step that runs is at: the share that make tells, else the last line of its log. */
export function stateOf(step) {
  const own = [...running.values()].find((command) => command.step === step);
  return own === undefined ? null : lastWords(tailOf(own.log));
}

/** The last share of a log of make (`[ 45%] Building …`), else its last line, at most 80 characters of it. */
export function lastWords(text) {
  const share = text.match(/^\[ *\d+%\]/gm)?.at(-1);
  if (share !== undefined) return share.slice(1, -1).trim();
  const line = text
    .trimEnd()
    .split(/[\r\n]/)
    .at(-1)
    .trim();
  return line === '' ? null : line.length > 80 ? `${line.slice(0, 79)}…` : line;
}

function tailOf(log) {
  const fd = openSync(log, 'r');
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.min(size, logTailBytes));
    const read = readSync(fd, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8', 0, read);
  } finally {
    closeSync(fd);
  }
}

/** Ends the commands in flight, with their children; called when set-up is interrupted. */
export function stopCommands() {
  signalGroups('SIGTERM');
  setTimeout(() => signalGroups('SIGKILL'), 1_000).unref();
}

function signalGroups(signal) {
  for (const child of running.keys()) {
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
  running.set(child, { step: stepOf.getStore(), log });
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
