import { spawn } from 'node:child_process';

/** What a part of the test run came to. */
export function tally(passed = 0, failed = 0, skipped = 0) {
  return { passed, failed, skipped };
}

export function addTallies(tallies) {
  return tallies.reduce(
    (sum, one) => tally(sum.passed + one.passed, sum.failed + one.failed, sum.skipped + one.skipped),
    tally(),
  );
}

/** "N passed, N failed, N skipped", alone on a line. */
export function tallyLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

/** The last such line of an output; null when there is none. */
export function readTally(output) {
  const lines = output.matchAll(/^(\d+) passed, (\d+) failed, (\d+) skipped$/gm);
  const last = [...lines].at(-1);
  return last === undefined ? null : tally(Number(last[1]), Number(last[2]), Number(last[3]));
}

/** Runs a command to its end, or kills its process group at the limit. */
export function runToEnd(command, args, { cwd, limitMs, show, env = process.env }) {
  return new Promise((resolve) => {
    const stdio = show ? ['ignore', 'inherit', 'inherit'] : ['ignore', 'pipe', 'pipe'];
    const child = spawn(command, args, { cwd, env, stdio, detached: true });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    const timer = setTimeout(() => killGroup(child), limitMs);
    const forward = () => killGroup(child);
    process.once('SIGINT', forward).once('SIGTERM', forward);
    child.once('error', (error) => (output += error.message));
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      process.off('SIGINT', forward).off('SIGTERM', forward);
      const reason = signal === null ? `exit code ${code}` : `${signal} (limit ${limitMs / 1000} s)`;
      resolve({ ok: code === 0, reason, output });
    });
  });
}

function killGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}
