import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { importFault, targetOf } from '../lint/import-direction.mjs';
import { projectRoot } from '../setup/places.mjs';

const allowed = [
  ['services/ingest/main.ts', 'lib/config'],
  ['services/ingest/main.ts', 'services/ingest/publish/rounds'],
  ['services/ingest/main.ts', 'policy/sharding/cut-round'],
  ['lib/bus/kafka.ts', 'schemas/errors'],
  ['lib/bus/kafka.ts', 'policy/routing'],
  ['policy/join/decide-round.ts', 'schemas/domain'],
  ['launcher/main.ts', 'client/index'],
  ['launcher/main.ts', 'native/planner/index'],
  ['launcher/service-settings.ts', 'services/inference-worker/engine/config'],
  ['test/integration/x.test.ts', 'services/ingest/main'],
  ['services/inference-worker/engine/main.ts', 'native/triton/triton-server'],
  ['services/inference-worker/data-plane/session-keeper.ts', 'native/shm/shm-session'],
  ['services/inference-worker/remote/ucx/ucx-link.ts', 'native/ucx/ucx-host'],
  ['bench/remote/main.ts', 'services/inference-worker/remote/ucx/ucx-engine-client'],
  ['bench/stagger/play.ts', 'services/inference-worker/solve-shard'],
  ['services/replay/main.ts', 'launcher/stop-signal'],
  ['services/replay/import/mdrp.ts', 'native/planner/route-planner'],
  ['services/aggregator/decide/decide-thread.ts', 'native/packing/native-packer'],
];
const forbidden = [
  ['services/replay/main.ts', 'services/ingest/config'],
  ['services/replay/main.ts', 'native/triton/triton-server'],
  ['services/ingest/main.ts', 'services/aggregator/join'],
  ['services/ingest/main.ts', 'launcher/broker'],
  ['services/ingest/main.ts', 'native/planner/index'],
  ['services/ingest/main.ts', 'native/packing/native-packer'],
  ['lib/bus/kafka.ts', 'services/ingest/main'],
  ['policy/join/decide-round.ts', 'lib/config'],
  ['schemas/src/domain.ts', 'policy/routing'],
  ['launcher/main.ts', 'services/ingest/main'],
  ['launcher/main.ts', 'native/triton/triton-server'],
  ['services/inference-worker/supervisor.ts', 'native/triton/triton-server'],
  ['services/inference-worker/start-worker.ts', 'native/shm/shm-session'],
  ['services/inference-worker/start-worker.ts', 'native/ucx/ucx-host'],
  ['bench/pipeline/main.ts', 'services/inference-worker/remote/ucx/ucx-engine-client'],
  ['services/inference-worker/data-plane/session-keeper.ts', 'native/triton/triton-server'],
  ['examples/producer.ts', 'lib/bus/kafka'],
];

for (const [source, target] of allowed) {
  test(`${source} may import ${target}`, () => assert.equal(importFault(source, target), null));
}
for (const [source, target] of forbidden) {
  test(`${source} may not import ${target}`, () => assert.notEqual(importFault(source, target), null));
}

test('mapped and relative specifiers name the same target; packages name none', () => {
  const file = '/project/services/ingest/main.ts';
  assert.equal(targetOf('#lib/config', file, '/project'), 'lib/config');
  assert.equal(targetOf('../../lib/config', file, '/project'), 'lib/config');
  assert.equal(targetOf('kafkajs', file, '/project'), null);
});

test('ESLint reports a forbidden import, a console call, a clock in policy and kafkajs outside lib/bus', async () => {
  const { ESLint } = await import('eslint');
  const eslint = new ESLint({
    cwd: projectRoot,
    // Without types, for which the parser would read the files themselves when CI is set.
    overrideConfig: {
      languageOptions: { parserOptions: { project: false } },
      rules: { '@typescript-eslint/no-floating-promises': 'off' },
    },
  });
  const rulesFor = async (code, filePath) => {
    const [result] = await eslint.lintText(code, { filePath: join(projectRoot, filePath) });
    return result.messages.map((message) => message.ruleId ?? message.message);
  };
  const policy = 'policy/routing/x.ts';
  assert.deepEqual(await rulesFor("import '#lib/config';\n", policy), ['roundhouse/import-direction']);
  assert.deepEqual(await rulesFor("import '../../lib/config';\n", policy), ['roundhouse/import-direction']);
  assert.deepEqual(await rulesFor("import 'node:fs';\n", policy), ['no-restricted-imports']);
  assert.deepEqual(await rulesFor('export const now = Date.now();\n', policy), ['no-restricted-properties']);
  assert.deepEqual(await rulesFor("console.log('x');\n", 'lib/x.ts'), ['no-console']);
  assert.deepEqual(await rulesFor("import 'kafkajs';\n", 'lib/x.ts'), ['no-restricted-imports']);
});
