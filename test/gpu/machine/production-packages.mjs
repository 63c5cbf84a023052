import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Needed only by the install script of a package, by types, or by another kind of machine. */
const leftOut = [/^node_modules\/@types\//, /^node_modules\/onnxruntime-(node|common)$/, /\/undici-types$/];

/** The folders of the packages that run without development dependencies, by the lock file. */
export function productionPackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([folder, { dev, optional, devOptional }]) => folder !== '' && !dev && !optional && !devOptional)
    .map(([folder]) => folder)
    .filter((folder) => !leftOut.some((pattern) => pattern.test(folder)));
}

/** Files of the package itself that can be loaded. */
export function wantedOf(folder) {
  return (file) => {
    const inside = file.slice(file.lastIndexOf(folder) + folder.length + 1);
    return !inside.startsWith('node_modules/') && /\.(c?js|mjs|json|proto|lua|node|wasm)$/.test(inside);
  };
}
