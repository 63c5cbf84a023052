import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { benchNames } from '../../test/gpu/machine/benches.mjs';
import { packKept } from '../../test/gpu/machine/kept.mjs';
import { lackingIn, partNames } from '../../test/gpu/machine/parts.mjs';
import { partsOf, plannedOf, plannedRuns } from '../../test/gpu/machine/planned-runs.mjs';
import { withPlaces } from '../../test/gpu/machine/run-planned.mjs';
import { scenarioNames } from '../../test/gpu/machine/scenarios.mjs';
import { groupPieces, makeTransfers, roomBeside, treeBytes } from '../../test/gpu/machine/transfers.mjs';
import { projectRoot } from '../setup/places.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

const piece = (name, bytes) => ({ name, bytes });

test('a transfer takes as many pieces as there is room for, in their order', () => {
  // 25 + 25 = 50 of 54; 4 + 25 + 25 = 54 of 54; 10.
  const pieces = [25, 25, 4, 25, 25, 10].map((bytes, index) => piece(`p${index}`, bytes));
  const groups = groupPieces(pieces, 54).map((group) => group.map(({ name }) => name).join());
  assert.deepEqual(groups, ['p0,p1,p2', 'p3,p4', 'p5']);
  assert.throws(
    () => groupPieces([piece('large', 60)], 54),
    /large has 60 bytes, a transfer has room for 54/,
  );
  assert.deepEqual(groupPieces([], 54), []);
});

test('two pieces have room beside the files of the checkout', () => {
  const tree = treeBytes(projectRoot);
  // A checkout of megabytes, of which 64 MiB less 2 are left: 65,011,712 − 50,000,000 = 15,011,712 bytes it may have.
  assert.ok(tree > 1_000_000 && roomBeside(tree) >= 50_000_000, `${tree} bytes travel with each transfer`);
});

function partIn(folder, name, bytes) {
  mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, name, 'content'), Buffer.alloc(bytes, name));
  writeFileSync(
    join(folder, name, 'unpack.sh'),
    'cd "$(dirname "$0")" && mkdir -p "$ROUNDHOUSE_CHECKOUT" && cp content "$ROUNDHOUSE_CHECKOUT/$(basename "$PWD")"',
  );
}

test('parts are cut, carried, put together and unpacked as they were; a piece that was spoilt is refused', (context) => {
  const folder = temporaryFolder(context);
  partIn(folder, 'small', 1_000);
  partIn(folder, 'large', 300_000);
  const to = join(folder, 'transfers');
  const plan = { from: folder, to, parts: ['large', 'small'], room: 250_000, most: 100_000 };
  const transfers = makeTransfers(plan);
  // 300,000 bytes and tar's own: 4 pieces of 100,000 at most; two of them in a transfer, then two with the small part.
  assert.deepEqual(
    transfers.map(({ number, parts, whole }) => [number, parts.join(), whole.join()]),
    [
      ['01', 'large', ''],
      ['02', 'large,small', 'large,small'],
    ],
  );
  const env = {
    ...process.env,
    GPU_PIECES: join(folder, 'pieces'),
    ROUNDHOUSE_CHECKOUT: join(folder, 'there'),
  };
  const receive = (number) => execFileSync('bash', [join(to, number, 'receive.sh')], { env, stdio: 'pipe' });
  receive('01');
  assert.ok(!existsSync(join(folder, 'there')), 'nothing is whole yet');
  receive('02');
  for (const name of ['small', 'large']) {
    assert.ok(
      readFileSync(join(folder, 'there', name)).equals(readFileSync(join(folder, name, 'content'))),
      name,
    );
  }
  assert.deepEqual(readdirSync(env.GPU_PIECES).sort(), ['large', 'small'], 'no piece is left');
  makeTransfers(plan);
  const [spoilt] = readdirSync(join(to, '01')).filter((name) => name.endsWith('.piece'));
  chmodSync(join(to, '01', spoilt), 0o600);
  writeFileSync(join(to, '01', spoilt), 'other bytes');
  assert.throws(() => receive('01'), /sha256sum|FAILED/);
});

test('a part without one of its files is not cut', (context) => {
  const folder = temporaryFolder(context);
  for (const name of ['runtime/redis', 'triton']) mkdirSync(join(folder, name), { recursive: true });
  for (const file of [
    'runtime/unpack.sh',
    'runtime/node.xz',
    'runtime/redis/redis-server',
    'triton/unpack.sh',
  ]) {
    writeFileSync(join(folder, file), '');
  }
  assert.deepEqual(lackingIn(folder, ['runtime', 'triton', 'kafka']), [
    'runtime/jre.txz',
    'triton/^nvidia_pytriton-.*\\.whl$',
    'kafka/unpack.sh',
    'kafka/kafka.tar',
  ]);
  writeFileSync(join(folder, 'triton', 'nvidia_pytriton-0.7.0-py3.whl'), '');
  assert.deepEqual(lackingIn(folder, ['triton']), []);
});

test('what is kept travels with what unpacks it into the checkout', (context) => {
  const folder = temporaryFolder(context);
  mkdirSync(join(folder, 'plans'));
  writeFileSync(join(folder, 'plans', 'a.plan'), 'plan');
  assert.deepEqual(packKept(folder), [
    ['plans', 1],
    ['templates', 0],
  ]);
  const env = { ...process.env, ROUNDHOUSE_CHECKOUT: join(folder, 'there') };
  execFileSync('bash', [join(folder, 'kept', 'unpack.sh')], { env });
  assert.equal(readFileSync(join(folder, 'there', '.roundhouse', 'gpu', 'plans', 'a.plan'), 'utf8'), 'plan');
});

test('planned runs name benches, tests and parts that there are, and fit into a call of ten minutes', () => {
  const benches = benchNames('nowhere');
  const programs = ['delivery_time', 'candidate_cost', 'candidate_cost_backend', 'route_planner'];
  const known = { bench: benches, test: [...scenarioNames, ...programs], standalone: ['SHARDS'] };
  for (const [name, { parts, steps, seconds, gpus }] of Object.entries(plannedRuns)) {
    assert.ok(seconds <= 560 && gpus >= 1, name);
    assert.ok(parts.every((part) => partNames.includes(part)) && parts.includes('product'), name);
    for (const step of steps) {
      assert.ok(
        step.names.every((one) => known[step.command].includes(one)),
        `${name}: ${step.names}`,
      );
      assert.ok(step.limit <= seconds, name);
    }
  }
  assert.deepEqual(partsOf(['memory', 'pipeline']), partNames);
  assert.throws(() => plannedOf(['dinner']), /no run dinner\? tests, pipeline/);
  assert.throws(() => plannedOf([]), /which run\?/);
});

test('places of the machine stand for their names in a step', () => {
  const placed = withPlaces({ root: '/co' }, { names: ['SHARDS'], flags: ['--templates', 'TEMPLATES'] });
  assert.deepEqual(placed, {
    names: ['/co/.roundhouse/gpu/candidate-cost-shards'],
    flags: ['--templates', '/co/.roundhouse/gpu/templates'],
  });
  assert.deepEqual(withPlaces({ root: '/co' }, { names: ['x'] }), { names: ['x'], flags: [] });
});

test('the document lists the planned runs with their times', () => {
  const text = readFileSync(join(projectRoot, 'docs', 'gpu-window.md'), 'utf8');
  for (const [name, { seconds }] of Object.entries(plannedRuns)) {
    assert.match(text, new RegExp(`\\| \`${name}\`\\s+\\| ${seconds} s\\s+\\|`), name);
  }
});
