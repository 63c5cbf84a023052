#!/usr/bin/env node
// node test/gpu/pack.mjs [--build build/cuda] [--to .gpu/product]
// Packs what this checkout has built into one folder for a machine with a GPU and nothing else: see docs/gpu.md.
import { parseArgs } from 'node:util';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/setup/places.mjs';
import { packProduct } from './machine/product.mjs';

const { values } = parseArgs({
  options: {
    build: { type: 'string', default: 'build/cuda' },
    to: { type: 'string', default: '.gpu/product' },
  },
});
const packed = await packProduct({
  root: projectRoot,
  build: values.build,
  to: join(projectRoot, values.to),
});
for (const [what, bytes] of packed.parts) console.log(`${(bytes / 1e6).toFixed(1).padStart(7)} MB  ${what}`);
console.log(`${(packed.bytes / 1e6).toFixed(1).padStart(7)} MB  in all, packed, in ${packed.folder}`);
if (packed.missing.length > 0) console.log(`not built, so not in it: ${packed.missing.join(', ')}`);
