import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface FalseClock {
  /** Of the process whose clock can be set. */
  readonly env: NodeJS.ProcessEnv;
  /** It is off by so much from about 20 ms later on. */
  set(ms: number): void;
  remove(): void;
}

/** A process that loads its module first reads a wall clock that is off by what stands in a file; running time is not. */
export function falseClock(): FalseClock {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-clock-'));
  const file = join(folder, 'offset');
  const module = join(folder, 'clock.mjs');
  writeFileSync(file, '0');
  const lines = [
    "import { readFileSync } from 'node:fs';",
    'const now = Date.now;',
    'let offset = 0;',
    'Date.now = () => now() + offset;',
    `const look = () => { offset = Number(readFileSync(${JSON.stringify(file)}, 'utf8')) || 0; };`,
    'look();',
    'setInterval(look, 20).unref();',
  ];
  writeFileSync(module, lines.join('\n'));
  return {
    env: { NODE_OPTIONS: `--import=${module}` },
    set: (ms) => writeFileSync(file, String(ms)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
