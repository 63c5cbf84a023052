import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAllowed, licenceFaults } from '../checks/licences.mjs';
import { auditFaults } from '../checks/npm-audit.mjs';

test('one allowed choice is enough, and all parts of it must be', () => {
  const allowed = ['MIT', 'Apache-2.0'];
  assert.equal(isAllowed('MIT', allowed), true);
  assert.equal(isAllowed('(GPL-3.0 OR MIT)', allowed), true);
  assert.equal(isAllowed('Apache-2.0 AND MIT', allowed), true);
  assert.equal(isAllowed('MIT AND GPL-3.0', allowed), false);
  assert.equal(isAllowed('MITX', allowed), false);
  assert.equal(isAllowed('(MIT OR GPL-2.0) AND GPL-3.0', allowed), false);
  assert.equal(isAllowed('MIT AND (GPL-3.0 OR (Apache-2.0 AND MIT))', allowed), true);
  assert.equal(isAllowed('refused', allowed), false);
});

test('packages of the product may have fewer licences than tools, and none named is a fault', () => {
  const packages = {
    '': { license: 'GPL-3.0' },
    'node_modules/a': { license: 'MIT' },
    'node_modules/b': { license: 'MPL-2.0' },
    'node_modules/c': { license: 'MPL-2.0', dev: true },
    'node_modules/c/node_modules/@x/d': {},
    'node_modules/e': { license: 'GPL-2.0', dev: true },
  };
  assert.deepEqual(licenceFaults({ packages }), ['b: MPL-2.0', '@x/d: none named', 'e: GPL-2.0 (of a tool)']);
});

test('what is known against a package counts from high on; no answer of a registry is no answer', () => {
  const of = (severity) => ({ name: severity, severity, range: '<2' });
  const vulnerabilities = { a: of('moderate'), b: of('high'), c: of('critical') };
  assert.deepEqual(auditFaults(JSON.stringify({ vulnerabilities })), [
    'high <2: high',
    'critical <2: critical',
  ]);
  assert.deepEqual(auditFaults('{"vulnerabilities":{}}'), []);
  for (const text of ['', 'null', '{"vulnerabilities":null}', '{"message":"405 Method Not Allowed"}'])
    assert.equal(auditFaults(text), null);
});
