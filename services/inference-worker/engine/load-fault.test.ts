import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeFault, loadFaultOf, versionFaultsOf } from './load-fault';

const stamp = '2026-11-30T02:25:43Z E 17831 model_repository_manager.cc:1460] ';

test('a parse error has file, line and column', () => {
  const log =
    '[libprotobuf ERROR google/protobuf/text_format.cc:337] Error parsing text-format inference.ModelConfig: ' +
    '4:27: Message type "inference.ModelInput" has no field named "data_tpye".\n' +
    `${stamp}"Poll failed for model directory 'm': failed to read text proto from /models/m/config.pbtxt"\n`;
  const fault = loadFaultOf('/models', 'm', "failed to load 'm', failed to poll from model repository", log);
  expect(fault).toEqual({
    model: 'm',
    file: '/models/m/config.pbtxt',
    line: 4,
    column: 27,
    reason: 'Message type "inference.ModelInput" has no field named "data_tpye".',
  });
  expect(describeFault(fault)).toMatch(/^\/models\/m\/config.pbtxt:4:27: Message type/);
});

test('a configuration that parses and is wrong has its file and the reason', () => {
  const log = `${stamp}"Poll failed for model directory 'm': model input 'data' must specify 'dims' for m"\n`;
  const fault = loadFaultOf('/models', 'm', "failed to load 'm', failed to poll from model repository", log);
  expect(describeFault(fault)).toBe("/models/m/config.pbtxt: model input 'data' must specify 'dims' for m");
});

test('a backend that refuses speaks for itself', () => {
  const message =
    "load failed for model 'm': version 1 is at UNAVAILABLE state: Invalid argument: bad weights;\n";
  expect(loadFaultOf('/models', 'm', message, '')).toMatchObject({ line: 0, reason: message.trim() });
});

test('each broken version has its own reason, a file of ours with line and column', () => {
  const repository = mkdtempSync(join(tmpdir(), 'roundhouse-faults-'));
  mkdirSync(join(repository, 'm', '3'), { recursive: true });
  // Byte 14 is the first of the third line: 2 + 12 bytes stand before it.
  writeFileSync(join(repository, 'm', '3', 'network.json'), '{\n  "network"\n3');
  const message =
    "load failed for model 'm': version 2 is at UNAVAILABLE state: Invalid argument: bad weights; really;" +
    "version 3 is at UNAVAILABLE state: Internal: MODEL_FAILED: network.json: JSON, byte 14: expected ':';\n";
  const faults = versionFaultsOf(repository, 'm', message);
  expect([...faults].map(([version, fault]) => [version, describeFault(fault)])).toEqual([
    ['2', `${repository}/m/2: bad weights; really`],
    ['3', `${repository}/m/3/network.json:3:1: expected ':'`],
  ]);
  rmSync(repository, { recursive: true });
});

test('an error about no version has none', () => {
  expect(
    versionFaultsOf('/models', 'm', "failed to load 'm', failed to poll from model repository").size,
  ).toBe(0);
});
