import { runCommand } from '#lib/command-line';
import { inFolder } from '../in-folder';
import { compare } from './compare';
import { memory } from './memory';
import { parseOptions, usage, type StaggerOptions } from './options';
import { pool } from './pool';
import { scale } from './scale';

const modes = { compare, scale, pool, memory };

async function bench(options: StaggerOptions): Promise<void> {
  const result = await inFolder((folder) => modes[options.mode](folder, options));
  console.log(JSON.stringify({ options, ...result }));
}

void runCommand({ usage, parse: parseOptions, run: bench });
