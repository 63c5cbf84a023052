import { describeFault, loadFaultOf } from './load-fault';

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
