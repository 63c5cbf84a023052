import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { circumstances } from './environment.mjs';

/** One file a name, in letters, digits, '.', '_' and '-' alone. */
export function writeResult(machine, name, command, figures) {
  mkdirSync(machine.out, { recursive: true });
  const file = join(machine.out, `${name}.json`);
  writeFileSync(file, `${JSON.stringify({ ...circumstances(machine, command), ...figures }, null, 2)}\n`);
  console.log(`written: ${file}`);
}
