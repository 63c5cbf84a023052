import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';

export interface FaultModels {
  readonly env: NodeJS.ProcessEnv;
  readonly folder: string;
  remove(): void;
}

/** The shipped models, and beside them the one that fails as it is told to (docs/fault-injection.md). */
export function faultModels(): FaultModels {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-drill-'));
  cpSync(projectPath('models'), folder, { recursive: true });
  cpSync(projectPath('test', 'fixtures', 'fault-injection'), folder, { recursive: true });
  return {
    folder,
    env: { ROUNDHOUSE_FAULT_INJECTION: '1', ROUNDHOUSE_MODELS_DIR: folder },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
