import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dockerfileFaults } from '../checks/dockerfiles.mjs';

const good = `# comment
FROM node AS build
RUN apt-get update \\
  && apt-get install -y cmake \\
  && rm -rf /var/lib/apt/lists/*
COPY package.json ./
FROM node
ENV NODE_ENV=production \\
  ROUNDHOUSE_A=1
COPY --from=build /roundhouse/dist /roundhouse/build/native/only-files /roundhouse/models ./
USER 1000:1000
`;
const check = (text) =>
  dockerfileFaults(text, ['ROUNDHOUSE_A'], (path) => ['package.json', 'models'].includes(path));

test('a sound Dockerfile has no faults', () => assert.deepEqual(check(good), []));

test('each kind of fault is named', () => {
  const broken = good
    .replace(' \\\n  && rm -rf /var/lib/apt/lists/*', '')
    .replace('COPY package.json', 'COPY absent.json')
    .replace('ROUNDHOUSE_A', 'ROUNDHOUSE_B')
    .replace('--from=build /roundhouse/dist', '--from=other /roundhouse/dist')
    .replace('1000:1000', 'node');
  assert.deepEqual(check(broken), [
    'the last stage runs as node, not as a number above 0',
    'COPY of absent.json, which does not exist',
    'COPY from other, which is no stage',
    'apt-get update leaves its lists behind',
    'no process knows ROUNDHOUSE_B',
  ]);
});

test('a user that an earlier stage named does not count', () => {
  assert.deepEqual(check(`FROM a AS x\nUSER 1:1\nFROM b\n`), [
    'the last stage runs as root, not as a number above 0',
  ]);
});
