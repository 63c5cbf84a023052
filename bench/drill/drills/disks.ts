import { mkdtempSync, rmSync } from 'node:fs';
import { projectPath } from '#schemas/project-root';
import { check, type Check, type Drill, type DrillContext } from '../drill';
import { runProgram } from '../program';

/** The child has a mount of its own, which nobody else sees and which is gone with it. */
async function inSmallDisk({ of }: DrillContext): Promise<Check[]> {
  const namespace = ['-Urm'];
  const trial = await runProgram('unshare', [...namespace, 'true']).catch((error: Error) => ({
    code: 1,
    output: error.message,
  }));
  if (trial.code !== 0) {
    return [
      check('a small disk can be mounted', 'yes', `not on this machine: ${trial.output.trim()}`, false),
    ];
  }
  const folder = mkdtempSync(projectPath('.roundhouse', 'small-disk-'));
  try {
    const child = projectPath('dist', 'bench', 'drill', 'disk-full-child.js');
    const seconds = String(of(8, 4));
    const { code, output } = await runProgram('unshare', [
      ...namespace,
      process.execPath,
      child,
      folder,
      seconds,
    ]);
    const line = output.trim().split('\n').at(-1) ?? '';
    if (code !== 0 || !line.startsWith('[')) {
      return [check('the drill was done', 'yes', output.trim().slice(-400), false)];
    }
    return JSON.parse(line) as Check[];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const diskDrills: readonly Drill[] = [
  {
    name: 'disk-full',
    row: 'disk full',
    fault: 'the disk under the broker, Redis and all logs has no byte left for 8 s, under 5 rounds/s',
    expected:
      'nothing that was accepted is lost or decided twice; late decisions are marked; all goes on when there is room',
    inQuick: false,
    stand: 'none',
    run: inSmallDisk,
  },
];
