import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** What must lie in a part's folder for a machine that has nothing; a pattern stands for one file. */
const wantedFiles = {
  runtime: ['node.xz', 'jre.txz', 'redis/redis-server'],
  kafka: ['kafka.tar'],
  triton: [/^nvidia_pytriton-.*\.whl$/],
  tensorrt: ['libnvinfer.so.10.xz'],
  'tensorrt-builder': [/^libnvinfer_builder_resource\.so\..*\.xz$/, 'libnvonnxparser.so.10.xz'],
  kept: [],
  product: ['product.txz', 'packages.txz'],
};

/** All parts, in the order in which they are carried: the product is prepared out of the others. */
export const partNames = Object.keys(wantedFiles);

function has(folder, wanted) {
  if (typeof wanted === 'string') return existsSync(join(folder, wanted));
  return existsSync(folder) && readdirSync(folder).some((name) => wanted.test(name));
}

/** What parts lack in `folder`, as "part/file". */
export function lackingIn(folder, parts) {
  return parts.flatMap((part) =>
    ['unpack.sh', ...wantedFiles[part]]
      .filter((wanted) => !has(join(folder, part), wanted))
      .map((wanted) => `${part}/${wanted instanceof RegExp ? wanted.source : wanted}`),
  );
}
