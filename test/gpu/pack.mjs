#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readFlags } from '../../scripts/flags.mjs';
import { projectRoot } from '../../scripts/setup/places.mjs';
import { packKept } from './machine/kept.mjs';
import { lackingIn } from './machine/parts.mjs';
import { partsOf, plannedOf } from './machine/planned-runs.mjs';
import { packProduct } from './machine/product.mjs';
import { makeTransfers, roomBeside, treeBytes } from './machine/transfers.mjs';

const usage = `usage: node test/gpu/pack.mjs [--for RUN,RUN] [--build build/cuda] [--in .gpu]
Packs what this checkout has built for a machine with a GPU and nothing else, and cuts what the runs of docs/gpu-window.md
need into transfers: their sequence is printed, and written to transfers.txt beside them.`;

const values = readFlags(usage, {
  for: { type: 'string', default: '' },
  build: { type: 'string', default: 'build/cuda' },
  in: { type: 'string', default: '.gpu' },
});
const folder = join(projectRoot, values.in);
const runs = values.for === '' ? [] : values.for.split(',');
const parts = runs.length === 0 ? [] : partsOf(runs);
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1).padStart(7)} MB`;

const packed = await packProduct({ root: projectRoot, build: values.build, to: join(folder, 'product') });
for (const [what, bytes] of packed.parts) console.log(`${megabytes(bytes)}  ${what}`);
console.log(`${megabytes(packed.bytes)}  in all, packed, in ${packed.folder}`);
if (packed.missing.length > 0) console.log(`not built, so not in it: ${packed.missing.join(', ')}`);
for (const [kind, count] of packKept(folder)) console.log(`${String(count).padStart(7)} kept ${kind}`);

const lacking = lackingIn(folder, parts);
if (lacking.length > 0) {
  console.error(`missing in ${folder}: ${lacking.join(', ')} (docs/gpu-window.md, "Parts")`);
  process.exitCode = 1;
} else if (parts.length > 0) {
  const lines = sequence();
  writeFileSync(join(folder, 'transfers', 'transfers.txt'), `${lines.join('\n')}\n`);
  console.log(`\n${lines.join('\n')}`);
}

/** What to call there, in its order. */
function sequence() {
  const to = join(folder, 'transfers');
  const room = roomBeside(treeBytes(projectRoot));
  const transfers = makeTransfers({ from: folder, to, parts, room });
  const place = relative(projectRoot, to);
  return [
    `${transfers.length} transfers, one after the other without a pause (room for ${megabytes(room).trim()} beside the checkout):`,
    ...transfers.map(
      ({ number, bytes, parts: brings }) =>
        `${megabytes(bytes)}  carry ${place}/${number}  bash ${place}/${number}/receive.sh   # ${brings.join(', ')}`,
    ),
    'then, each a call of its own that carries nothing:',
    ...plannedOf(runs).map(
      ([name, { seconds, gpus }]) =>
        `${String(seconds + 20).padStart(5)} s, ${gpus} GPU${gpus === 1 ? '' : 's'}  /opt/rh/runtime/bin/node test/gpu/run.mjs planned ${name}`,
    ),
  ];
}
