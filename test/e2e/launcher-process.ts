import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '#schemas/project-root';
import { killedWithFile } from '../support/closed-with-file';

/** `node dist/launcher/main.js` as a user's terminal would run it, its output kept. */
export class LauncherProcess {
  output = '';
  private readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: string | null }>;

  constructor(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
    this.child = spawn(process.execPath, [projectPath('dist', 'launcher', 'main.js'), ...args], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    killedWithFile(this.child);
    for (const stream of [this.child.stdout!, this.child.stderr!]) {
      stream.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    }
    this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal }));
  }

  get pid(): number {
    return this.child.pid!;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits for a line that matches; fails with the whole output when the process ends before it. */
  async until(pattern: RegExp, timeoutMs: number): Promise<RegExpExecArray> {
    const giveUpAt = Date.now() + timeoutMs;
    let over = false;
    void this.ended.then(() => (over = true));
    for (;;) {
      const match = pattern.exec(this.output);
      if (match !== null) return match;
      if (over || Date.now() > giveUpAt) throw new Error(`no ${pattern} in:\n${this.output}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** The reader goes away, as `head` does. */
  closeOutput(): void {
    this.child.stdout!.destroy();
  }

  kill(): void {
    if (this.child.exitCode === null) this.child.kill('SIGKILL');
  }
}
