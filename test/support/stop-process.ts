import { readdirSync, readFileSync } from 'node:fs';
import { until } from './until';

/** The letter of a thread's state in /proc: behind the program's name, which may hold anything. */
function stateOf(pid: number, thread: string): string {
  const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
}

/** A process that has ended meanwhile does nothing more either. */
function stands(pid: number): boolean {
  try {
    return readdirSync(`/proc/${pid}/task`).every((thread) => stateOf(pid, thread) === 'T');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return true;
    throw error;
  }
}

/** Stops a process and waits until it stands: on a busy machine its threads may go on for a while after the signal. */
export async function stopProcess(pid: number): Promise<void> {
  process.kill(pid, 'SIGSTOP');
  await until(() => stands(pid), `process ${pid} stands`);
}
