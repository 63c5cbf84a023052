import { createReadStream } from 'node:fs';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { RoutePlanner } from './route-planner';
import { solveFile } from './solve-file';

const usage = 'usage: npm run --silent solve -- FILE.jsonl   (- reads standard input)';

async function answer(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

async function main(args: readonly string[]): Promise<number> {
  const [file] = args;
  if (file === undefined || args.length !== 1) {
    console.error(usage);
    return 1;
  }
  const input: Readable = file === '-' ? process.stdin : createReadStream(file);
  const name = file === '-' ? 'standard input' : file;
  const faultless = await solveFile(input, new RoutePlanner(), {
    answer,
    malformed: (lineNumber, reason) => console.error(`${name}:${lineNumber}: ${reason}`),
  });
  return faultless ? 0 : 1;
}

// A reader that has seen enough (head) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

main(process.argv.slice(2)).then(
  (code) => (process.exitCode = code),
  (error: Error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
