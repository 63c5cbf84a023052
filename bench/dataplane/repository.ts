import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const model = 'pass_through';

const config = `backend: "pass_through"
max_batch_size: 0
input [ { name: "IN" data_type: TYPE_UINT8 dims: [ -1 ] } ]
output [ { name: "OUT" data_type: TYPE_UINT8 dims: [ -1 ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ]
`;

/** A model repository with the pass-through model of test/native. */
export function makeRepository(folder: string): string {
  const repository = join(folder, 'models');
  mkdirSync(join(repository, model, '1'), { recursive: true });
  writeFileSync(join(repository, model, 'config.pbtxt'), config);
  return repository;
}
