import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RequestParameters } from '#lib/engine-client/request-parameters';
import { projectPath } from '#schemas/project-root';

/** What an engine needs for a repository with the model fault_injection; without GPUs, so that it fails alike everywhere. */
export const faultEnv = { ROUNDHOUSE_FAULT_INJECTION: '1', ROUNDHOUSE_DEVICES: 'cpu' } as const;

export interface FaultModels {
  readonly folder: string;
  remove(): void;
}

/** A repository with the model fault_injection, and the shipped models beside it where asked for. */
export function makeFaultModels(withShipped = false): FaultModels {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-models-'));
  if (withShipped) cpSync(projectPath('models'), folder, { recursive: true });
  cpSync(projectPath('test/fixtures/fault-injection'), folder, { recursive: true });
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A request to it: `bytes` come back as they are, unless a fault is among the parameters. */
export function faultRequest(parameters: RequestParameters = {}, bytes: Uint8Array = Buffer.from('abc')) {
  const input = { name: 'IN', datatype: 'UINT8' as const, shape: [bytes.byteLength], data: bytes };
  return { model: 'fault_injection', version: '', requestId: 'r', inputs: [input], parameters };
}
