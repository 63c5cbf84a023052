import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { projectPath } from '#schemas/project-root';

jest.setTimeout(60_000);

/**
 * Issue 4 wants 300 reloads and 500 cycles; more of them hold the noise below the limit. In CI there are a tenth of
 * those counts.
 */
const full = process.env['TEST_FULL'] === '1';
const counts = full
  ? { reloads: 1_000, cycles: 1_000, switches: 300 }
  : { reloads: 30, cycles: 50, switches: 30 };

interface Phase {
  readonly operations: number;
  readonly hotPath: number;
  readonly grpc: number;
  readonly failed: Readonly<Record<string, number>>;
  readonly rssBytesAnOperation: number;
}
type Phases = Readonly<Record<'reloads' | 'cycles' | 'switches', Phase>>;

/**
 * Bytes an operation: 1 KB. The core never forgets a version number: 4.8 KB a switch (ADR 0013). Two readings differ
 * by up to half a megabyte, which in a tenth of the counts is 40 KB an operation: only a model that stays shows there.
 */
const most = full
  ? { reloads: 1_024, cycles: 1_024, switches: 8_192 }
  : { reloads: 131_072, cycles: 131_072, switches: 131_072 };

test(
  `no request fails, and memory is level: ${Object.values(counts).join(', ')} reloads, cycles, switches under traffic`,
  async () => {
    const flags = Object.entries(counts).flatMap(([name, count]) => [`--${name}`, String(count)]);
    const bench = projectPath('dist', 'bench', 'reloads', 'main.js');
    const { stdout } = await promisify(execFile)(process.execPath, [bench, '--rate', '100', ...flags]);
    const phases = JSON.parse(stdout) as Phases;
    for (const [name, count] of Object.entries(counts)) {
      const phase = phases[name as keyof Phases];
      expect([name, phase.operations, phase.failed]).toEqual([name, count, {}]);
      expect(phase.hotPath).toBeGreaterThan(0);
      expect(phase.grpc).toBeGreaterThan(0);
      expect(phase.rssBytesAnOperation).toBeLessThan(most[name as keyof Phases]);
    }
  },
  full ? 900_000 : 240_000,
);
