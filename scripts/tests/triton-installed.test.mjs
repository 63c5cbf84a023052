import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { placesOf } from '../setup/places.mjs';
import { tritonCore } from '../setup/triton-core.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

function installed(context, files) {
  const root = temporaryFolder(context);
  const home = join(root, 'tritonserver');
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(home, path, '..'), { recursive: true });
    writeFileSync(join(home, path), text, 'latin1');
  }
  return placesOf(root, { TRITON_HOME: home });
}

const pool = Buffer.from('48c78780010000e8030000', 'hex').toString('latin1');
const files = {
  'lib/libtritonserver.so': `core ${pool}`,
  'lib/libother.so.1': 'other',
  'backends/python/libtriton_python.so': 'python',
  'backends/python/triton_python_backend_stub': 'elf libpython3.10.so.1.0',
  'caches/local/libtritoncache_local.so': 'cache',
};

test("an installed Triton is laid out as the wheel's, with a larger pool and its stub kept", async (context) => {
  const places = installed(context, files);
  const step = tritonCore(places);
  assert.equal(step.isDone(), false);
  await step.run();
  assert.equal(step.isDone(), true);
  const at = (...path) => join(places.toolchain, 'triton', ...path);
  const core = readFileSync(at('nvidia_pytriton.libs', 'libtritonserver.so')).toString('hex');
  // 0x000f4240 = 1,000,000, low byte first.
  assert.ok(core.endsWith('48c7878001000040420f00'), core);
  const server = ['pytriton', 'tritonserver'];
  assert.equal(
    readlinkSync(at('nvidia_pytriton.libs', 'libother.so.1')),
    join(places.tritonHome, 'lib', 'libother.so.1'),
  );
  assert.ok(existsSync(at(...server, 'caches', 'local', 'libtritoncache_local.so')));
  assert.ok(existsSync(at(...server, 'backends', 'python', 'libtriton_python.so')));
  assert.ok(existsSync(at(...server, 'python_backend_stubs', '3.10', 'triton_python_backend_stub')));
});

test('another core is used as it is', async (context) => {
  const places = installed(context, { 'lib/libtritonserver.so': 'another core' });
  await tritonCore(places).run();
  const core = join(places.toolchain, 'triton', 'nvidia_pytriton.libs', 'libtritonserver.so');
  assert.equal(readFileSync(core, 'utf8'), 'another core');
});

test('a folder without a core is refused by name', async (context) => {
  const places = installed(context, { 'lib/readme': '' });
  await assert.rejects(tritonCore(places).run(), /TRITON_HOME is .*, which has no lib\/libtritonserver\.so/);
});
