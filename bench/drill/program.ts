import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '#schemas/project-root';

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a program of the project to its end; its streams are what it says. */
export async function runProgram(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Ended> {
  const child = spawn(command, args, {
    cwd: projectPath(),
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
