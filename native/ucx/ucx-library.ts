import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** The loader looks where it always does. */
const ofTheSystem = 'libucp.so.0';

/** That of the toolchain where set-up has fetched it, else the system's. */
export function ucxLibrary(toolchain: string): string {
  const fetched = join(toolchain, 'ucx', 'lib', 'libucp.so.0');
  return existsSync(fetched) ? fetched : ofTheSystem;
}
