import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectPath } from '#schemas/project-root';

export const coreLibrary = projectPath(
  '.roundhouse/toolchain/triton/nvidia_pytriton.libs/libtritonserver.so',
);
export const backendDirectory = projectPath('build/native/backends');

/** config.pbtxt of a model of the test backend (test/native/echo_backend). */
export function echoConfig(extra = ''): string {
  return `backend: "echo"
max_batch_size: 8
input [
  { name: "data" data_type: TYPE_INT32 dims: [ -1 ] allow_ragged_batch: true },
  { name: "control" data_type: TYPE_INT32 dims: [ 2 ] }
]
output [
  { name: "data" data_type: TYPE_INT32 dims: [ -1 ] },
  { name: "sum" data_type: TYPE_INT64 dims: [ 1 ] }
]
instance_group [ { kind: KIND_CPU count: 2 } ]
dynamic_batching { }
${extra}`;
}

export interface TestRepository {
  readonly folder: string;
  write(model: string, config: string, versions?: readonly string[]): void;
  remove(): void;
}

/** A model repository in a folder of its own; a version folder is empty but for a file that git and Triton see. */
export function makeRepository(models: Readonly<Record<string, string>>): TestRepository {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-models-'));
  const write = (model: string, config: string, versions: readonly string[] = ['1']): void => {
    for (const version of versions) {
      mkdirSync(join(folder, model, version), { recursive: true });
      writeFileSync(join(folder, model, version, 'model.txt'), model);
    }
    writeFileSync(join(folder, model, 'config.pbtxt'), config);
  };
  for (const [model, config] of Object.entries(models)) write(model, config);
  return { folder, write, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

export function int32(values: readonly number[]): Buffer {
  return Buffer.from(Int32Array.from(values).buffer);
}

export const operations = { echo: 0, sleep: 1, fail: 2, fill: 3, hold: 4 } as const;

/** Inputs of an echo model. */
export function echoInputs(data: readonly number[], operation = 0, argument = 0) {
  return [
    { name: 'data', datatype: 'INT32' as const, shape: [1, data.length], data: int32(data) },
    { name: 'control', datatype: 'INT32' as const, shape: [1, 2], data: int32([operation, argument]) },
  ];
}
