import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';
import { ladderNetwork, type Ladder } from './ladder-network';

const [features, quantiles] = [20, 8];
const folder = mkdtempSync(join(tmpdir(), 'roundhouse-ladder-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** In a process of its own: ONNX Runtime's arrays are none of those that Jest gives its tests. */
const program = `
const { InferenceSession, Tensor } = require('onnxruntime-node');
const [file, rows, columns] = [process.argv[1], ...process.argv.slice(2).map(Number)];
const input = Float32Array.from({ length: rows * columns }, (_, at) => (at % 7) * 20);
InferenceSession.create(file, { logSeverityLevel: 3 })
  .then((session) => session.run({ features: new Tensor('float32', input, [rows, columns]) }))
  .then(({ quantiles }) => console.log(JSON.stringify([...quantiles.data])));
`;

function answersOf(ladder: Omit<Ladder, 'features' | 'quantiles'>, rows: number): number[][] {
  const file = join(folder, 'ladder.onnx');
  writeFileSync(file, ladderNetwork({ features, quantiles, ...ladder }));
  const args = ['-e', program, file, String(rows), String(features)];
  const values = JSON.parse(
    execFileSync(process.execPath, args, { cwd: projectPath(), encoding: 'utf8' }),
  ) as number[];
  return Array.from({ length: rows }, (_, row) => values.slice(row * quantiles, (row + 1) * quantiles));
}

test('a ladder takes rows and answers with plausible times, whatever its height', () => {
  for (const rungs of [1, 2, 32]) {
    const rows = answersOf({ width: 16, rungs, seed: 3 }, 5);
    expect(rows).toHaveLength(5);
    for (const row of rows) {
      // Biases of 900, 1,200, 60, 180, 60, 120, 1, 1.2; the layer before adds less than a hundredth of that.
      expect(row[0]).toBeCloseTo(900, -1);
      expect(row[7]! / 1.2).toBeCloseTo(1, 1);
    }
  }
});

test('rows differ, and so do ladders of other seeds', () => {
  const one = answersOf({ width: 16, rungs: 3, seed: 0 }, 2);
  const other = answersOf({ width: 16, rungs: 3, seed: 1 }, 2);
  expect(one[0]).not.toEqual(one[1]);
  expect(one).not.toEqual(other);
});

test('a ladder of 32 rungs has the weights of four layers', () => {
  const bytes = ladderNetwork({ features, quantiles, width: 64, rungs: 32, seed: 0 }).length;
  // 20 · 64 + 2 · 64 · 64 + 64 · 8 weights and 3 · 64 + 8 biases of 4 bytes: 40,736; 63 layers take some 60 bytes a node.
  expect(bytes).toBeGreaterThan(40_736);
  expect(bytes).toBeLessThan(40_736 + 16_384);
});
