import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedPaths, containerFaults, stopFaults } from '../images/claims.mjs';
import { mountsBelow } from '../images/daemon.mjs';
import { hasNumber, panelQueries } from '../images/panels.mjs';
import { namedImages } from '../images/pipeline.mjs';

const none = '0000000000000000';
const status = `Name:\tnode
Uid:\t1000\t1000\t1000\t1000
CapPrm:\t${none}
CapEff:\t${none}
CapBnd:\t${none}
NoNewPrivs:\t1
Seccomp:\t2
`;
const inspected = {
  Config: { User: '1000:1000' },
  HostConfig: { ReadonlyRootfs: true },
  State: { Health: { Status: 'healthy' } },
};

test('a container as the documentation describes it has no faults', () =>
  assert.deepEqual(containerFaults({ inspected, status, changed: [] }), []));

test('each thing that a container may have too much of is named', () => {
  const open = {
    Config: { User: '' },
    HostConfig: { ReadonlyRootfs: false },
    State: { Health: { Status: 'starting' } },
  };
  const root = status
    .replaceAll('1000', '0')
    .replace(`CapBnd:\t${none}`, 'CapBnd:\t00000000a80425fb')
    .replace('NoNewPrivs:\t1', 'NoNewPrivs:\t0')
    .replace('Seccomp:\t2', 'Seccomp:\t0');
  assert.deepEqual(containerFaults({ inspected: open, status: root, changed: ['/roundhouse/x'] }), [
    'health is starting',
    'the root file system can be written to',
    'the user is root',
    'process 1 has Uid 0\t0\t0\t0',
    'CapBnd is 00000000a80425fb',
    'NoNewPrivs is 0',
    'Seccomp is 0, not a filter',
    '/roundhouse/x was written to',
  ]);
});

test('a container whose process is gone has no say in what it may', () =>
  assert.equal(containerFaults({ inspected, status: '', changed: [] }).length, 6));

test('what mounts leave in a file system is no change of it', () => {
  const diff = 'C /var\nC /var/lib\nA /var/lib/roundhouse\nA /tmp/x\nC /etc\nA /etc/other';
  assert.deepEqual(changedPaths(diff, ['/var/lib/roundhouse', '/tmp']), ['/etc/other']);
});

test('a stop in order ends with 0', () => {
  const ended = (State) => stopFaults({ State });
  assert.deepEqual(ended({ Running: false, ExitCode: 0, OOMKilled: false }), []);
  assert.deepEqual(ended({ Running: true, ExitCode: 0 }), ['is still running']);
  assert.deepEqual(ended({ Running: false, ExitCode: 137, OOMKilled: true }), [
    'ended with 137 (killed)',
    'was killed for memory',
  ]);
});

test('an answer without a finite number draws nothing', () => {
  const answer = (...values) => ({
    status: 'success',
    data: { result: values.map((value) => ({ value: [0, value] })) },
  });
  assert.equal(hasNumber(answer('NaN', '0')), true);
  assert.equal(hasNumber(answer('NaN', '+Inf')), false);
  assert.equal(hasNumber(answer()), false);
  assert.equal(hasNumber({ status: 'error' }), false);
});

test('every panel of every dashboard is asked', () => {
  const names = panelQueries().map(({ name }) => name);
  assert.ok(names.length > 50);
  assert.equal(new Set(names).size, names.length);
});

test('images are those that the files name', () => {
  const { bases, images } = namedImages();
  assert.deepEqual(bases, ['node:20-bookworm', 'node:20-bookworm-slim']);
  assert.deepEqual(Object.keys(images), ['broker', 'redis', 'prometheus', 'grafana']);
});

test('mounts of a folder come off from the inside', () => {
  const text =
    'nsfs /a/x nsfs rw 0 0\nnone /a/x/y tmpfs rw 0 0\nnone /ab tmpfs rw 0 0\nnone /a tmpfs rw 0 0\n';
  assert.deepEqual(mountsBelow('/a', text), ['/a/x/y', '/a/x']);
});
