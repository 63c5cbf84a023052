import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingMessage, nodeMessage, platformMessage, tools } from '../setup/prerequisites.mjs';

const absent = Object.fromEntries(
  Object.entries(tools).map(([key, tool]) => [key, { ...tool, isThere: () => false }]),
);
const all = Object.keys(tools);

test('everything that is missing stands in one message, with the command that brings it', () => {
  const message = missingMessage(all, absent, { id: 'ubuntu', version: 24.04 });
  for (const tool of Object.values(tools)) assert.ok(message.includes(tool.name), tool.name);
  assert.ok(
    message.includes(
      'sudo apt-get install openjdk-21-jre-headless maven python3 python3-pip cmake g++ make cargo',
    ),
    message,
  );
});

test('Debian 12 has Java 17, later ones Java 21', () => {
  assert.match(missingMessage(['java'], absent, { id: 'debian', version: 12 }), /openjdk-17-jre-headless/);
  assert.match(missingMessage(['java'], absent, { id: 'debian', version: 13 }), /openjdk-21-jre-headless/);
});

test('a tool that two steps need is named once', () => {
  const message = missingMessage(['python', 'python'], absent, { id: 'debian', version: 12 });
  assert.equal(message.split('python3-pip').length, 2);
});

test('nothing missing, no message', () => {
  assert.equal(missingMessage(['cmake'], { cmake: { ...tools.cmake, isThere: () => true } }), null);
  assert.equal(missingMessage([]), null);
});

test('other systems and an old glibc are refused by name', () => {
  assert.equal(platformMessage('linux', 'x64', '2.36'), null);
  assert.equal(platformMessage('linux', 'x64', '2.35'), null);
  assert.equal(platformMessage('linux', 'x64', '3.0'), null);
  assert.match(platformMessage('linux', 'x64', '2.31'), /glibc 2.35 or newer .* has 2.31/);
  assert.match(platformMessage('linux', 'x64', undefined), /another libc/);
  assert.match(platformMessage('linux', 'arm64', '2.36'), /linux on arm64/);
  assert.match(platformMessage('darwin', 'x64', undefined), /darwin on x64/);
});

test('a Node.js that is too old is refused with both versions', () => {
  assert.equal(nodeMessage('20.19.0'), null);
  assert.equal(nodeMessage('24.1.0'), null);
  assert.match(nodeMessage('20.18.3'), /20.19 or newer .* this is 20.18.3/);
  assert.match(nodeMessage('18.19.0'), /this is 18.19.0/);
});
