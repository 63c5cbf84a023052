import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const unpackScript = `#!/usr/bin/env bash
# What earlier windows or this machine have made, at its place in the checkout.
set -euo pipefail
cd "$(dirname "$0")"
to=\${ROUNDHOUSE_CHECKOUT:?}/.roundhouse/gpu
mkdir -p "$to"
for folder in */; do cp -r "$folder" "$to/"; done
`;

/** Of plans of TensorRT (building them takes the whole library) and shards of benches, what lies in `folder`; files by kind. */
export function packKept(folder) {
  const to = join(folder, 'kept');
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  writeFileSync(join(to, 'unpack.sh'), unpackScript);
  return ['plans', 'templates'].map((kind) => {
    mkdirSync(join(to, kind));
    if (existsSync(join(folder, kind))) cpSync(join(folder, kind), join(to, kind), { recursive: true });
    return [kind, readdirSync(join(to, kind)).length];
  });
}
