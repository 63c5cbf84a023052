import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { ArgumentsInvalid, runCommand } from '#lib/command-line';
import { RoutePlanner } from './route-planner';
import { solveFile } from './solve-file';

const usage = `npm run --silent solve -- FILE.jsonl
  Solves the route problems of a file, one a line (docs/or.md has the format); - reads standard input. An answer a
  line: \`id cost s1 … sm\` or \`id infeasible\`, with \`unproven\` behind it where the heuristic gave it.`;

async function answer(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

function parse(argv: readonly string[]): string {
  const [file] = argv;
  if (file === undefined || argv.length !== 1) throw new ArgumentsInvalid('one file is wanted');
  if (/^-./.test(file)) throw new ArgumentsInvalid(`unknown flag ${file}`);
  return file;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'is a folder, not a file',
  EACCES: 'may not be read by this user',
};

/** The file, opened before anything else is done with it. */
async function openInput(file: string): Promise<Readable> {
  if (file === '-') return process.stdin;
  try {
    // A folder can be opened, but not read.
    await access(file, constants.R_OK);
    if ((await stat(file)).isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new ArgumentsInvalid(`${file}: ${reasons[code] ?? message}`);
  }
  return createReadStream(file);
}

async function solve(file: string): Promise<number> {
  const name = file === '-' ? 'standard input' : file;
  const faultless = await solveFile(await openInput(file), new RoutePlanner(), {
    answer,
    malformed: (lineNumber, reason) => console.error(`${name}:${lineNumber}: ${reason}`),
  });
  return faultless ? 0 : 1;
}

// A reader that has seen enough (head) is no fault.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

void runCommand({ usage, parse, run: solve });
