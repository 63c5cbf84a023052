import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { benchNames, failureOf } from '../../test/gpu/machine/benches.mjs';
import { machineOf } from '../../test/gpu/machine/environment.mjs';
import { productionPackages, wantedOf } from '../../test/gpu/machine/production-packages.mjs';
import { asTyped } from '../../test/gpu/machine/programs.mjs';
import { writeResult } from '../../test/gpu/machine/results.mjs';
import { projectRoot } from '../setup/places.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

test('the product takes what runs: packages without those of development, without types and other platforms', () => {
  const folders = productionPackages(projectRoot);
  for (const name of ['kafkajs', 'bullmq', '@grpc/grpc-js', 'pino'])
    assert.ok(folders.includes(`node_modules/${name}`));
  for (const name of ['typescript', 'jest', '@types/node', 'onnxruntime-node']) {
    assert.ok(!folders.includes(`node_modules/${name}`), name);
  }
  const wanted = wantedOf('node_modules/ioredis');
  assert.ok(wanted('/any/node_modules/ioredis/built/index.js'));
  assert.ok(!wanted('/any/node_modules/ioredis/built/index.d.ts'));
  assert.ok(!wanted('/any/node_modules/ioredis/node_modules/other/index.js'), 'a package of its own');
});

test('benches have the names of the documents, others those of their programs', (context) => {
  const folder = temporaryFolder(context);
  mkdirSync(join(folder, 'bench'));
  for (const name of ['route_planner_gpu_bench', 'new_gpu_bench', 'shm_bench']) {
    writeFileSync(join(folder, 'bench', name), '');
  }
  const names = benchNames(folder);
  for (const name of ['solver', 'etr', 'candidate-cost', 'mixed', 'pipeline', 'new_gpu_bench']) {
    assert.ok(names.includes(name), name);
  }
  assert.ok(!names.includes('route_planner_gpu_bench') && !names.includes('shm_bench'));
});

test('a bench that ends well without figures has failed', () => {
  assert.equal(failureOf({ ok: true, reason: 'exit status 0' }, { shards: 1 }), null);
  assert.equal(failureOf({ ok: true, reason: 'exit status 0' }, {}), 'exit status 0, without figures');
  assert.equal(failureOf({ ok: false, reason: 'exit status 1' }, { shards: 1 }), 'exit status 1');
});

test('programs find the parts by their environment', () => {
  const { env, build } = machineOf({ root: projectRoot, parts: '/parts', build: 'build/cuda', out: '/out' });
  assert.equal(env.LD_LIBRARY_PATH.split(':').slice(0, 2).join(), '/parts/runtime/redis,/parts/tensorrt');
  assert.equal(env.ROUNDHOUSE_ENGINE_BACKENDS_DIR, join(build, 'backends'));
  assert.equal(env.PATH.split(':')[0], '/parts/runtime/bin');
});

test('a result has the circumstances and the command as one would type it', (context) => {
  const out = temporaryFolder(context);
  const typed = asTyped('/checkout', '/checkout/build/cuda/bench/x', ['--out', '/tmp/file']);
  assert.equal(typed, 'build/cuda/bench/x --out /tmp/file');
  writeResult({ out, gpus: [{ name: 'A GPU', memory: '1 MiB', driver: '580' }] }, 'x', typed, { rate: 3 });
  const written = JSON.parse(readFileSync(join(out, 'x.json'), 'utf8'));
  assert.deepEqual(
    [written.gpu, written.driver, written.command, written.rate],
    ['A GPU, 1 MiB', '580', typed, 3],
  );
  assert.match(written.date, /^\d{4}-\d{2}-\d{2}T/);
});
