import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { packClient } from '../pack-client.mjs';
import { projectRoot } from '../setup/places.mjs';
import { temporaryFolder } from './temporary-folder.mjs';

const use = `new RoundhouseClient({ url: 'http://127.0.0.1:1', retryForMs: 1 })
  .submitRound({ roundId: 'r', deadline: Date.now() + 1000 })
  .catch((error) => console.log(error instanceof RoundhouseError, error.code));`;
const programs = {
  'use.cjs': `const { RoundhouseClient, RoundhouseError } = require('roundhouse/client');\n${use}`,
  'use.mjs': `import { RoundhouseClient, RoundhouseError } from 'roundhouse/client';\n${use}`,
};
const typed = `import { RoundhouseClient, type Decision, type RoundInput } from 'roundhouse/client';
const round: RoundInput = { roundId: 'r', deadline: 1, couriers: [{ courierId: 'a', position: { x: 1, y: 2 } }] };
export const decided: Promise<Decision> = new RoundhouseClient({ url: '' }).dispatch(round).then((r) => r.decision);
// @ts-expect-error a round without a deadline
export const wrong: RoundInput = { roundId: 'r' };
`;

test('another project installs the client from its tarball, and nothing else with it', (context) => {
  const folder = temporaryFolder(context);
  const tarball = packClient(folder);
  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "another", "private": true }');
  const options = { cwd: project, encoding: 'utf8' };
  execFileSync('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', tarball], options);
  const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
  assert.deepEqual(installed, ['roundhouse']);
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(project, name), text);
    assert.equal(execFileSync(process.execPath, [name], options), 'true DEPENDENCY_ABSENT\n');
  }
  writeFileSync(join(project, 'typed.mts'), typed);
  const tsc = join(projectRoot, 'node_modules', 'typescript', 'bin', 'tsc');
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', 'typed.mts'];
  assert.equal(execFileSync(process.execPath, [tsc, ...flags], options), '');
});
