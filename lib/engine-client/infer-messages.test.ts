import { loadProtocol } from './protocol';
import {
  decodeInferRequest,
  decodeInferResponse,
  encodeInferRequest,
  encodeInferResponse,
} from './infer-messages';
import { decodeBool, decodeIndex, encodeModelName, encodeRepositoryModel } from './control-messages';
import { WireError } from './wire';

/** The reference is protobufjs with schemas/proto/kserve.proto. */
const { ModelInfer, ModelReady, RepositoryIndex, RepositoryModelLoad } = loadProtocol().inference;

const tensors = [
  { name: 'a', datatype: 'INT32', shape: [1, 300], data: Buffer.alloc(1_200, 7) },
  { name: 'empty', datatype: 'UINT8', shape: [1, 0], data: Buffer.alloc(0) },
  { name: 'scalar', datatype: 'FP32', shape: [], data: Buffer.alloc(4, 1) },
];
const message = { model: 'candidate_cost', version: '12', id: 'shard-é', tensors };

test('a request reads as protobufjs reads it', () => {
  const decoded = ModelInfer!.requestDeserialize(encodeInferRequest(message));
  expect(decoded).toMatchObject({
    model_name: 'candidate_cost',
    model_version: '12',
    id: 'shard-é',
    inputs: tensors.map(({ name, datatype, shape }) => ({ name, datatype, shape })),
    raw_input_contents: tensors.map(({ data }) => data),
  });
});

test('a response reads as protobufjs reads it', () => {
  const decoded = ModelInfer!.responseDeserialize(encodeInferResponse(message));
  expect(decoded).toMatchObject({
    model_name: 'candidate_cost',
    outputs: tensors.map(({ name, datatype, shape }) => ({ name, datatype, shape })),
    raw_output_contents: tensors.map(({ data }) => data),
  });
});

test('reads what protobufjs wrote, fields that it does not need included', () => {
  const bytes = ModelInfer!.requestSerialize({
    model_name: 'm',
    parameters: { priority: { int64_param: 3 } },
    inputs: [
      { name: 'a', datatype: 'INT32', shape: [1, 2 ** 40], parameters: { region: { string_param: 'x' } } },
      { name: 'b', datatype: 'FP64', shape: [-1], contents: { fp64_contents: [1.5] } },
    ],
    outputs: [{ name: 'plans', parameters: { classification: { int64_param: 1 } } }, { name: 'interval' }],
    raw_input_contents: [Buffer.from('abc')],
  });
  const decoded = decodeInferRequest(bytes);
  expect(decoded).toMatchObject({ model: 'm', version: '', id: '', requestedOutputs: ['plans', 'interval'] });
  expect(decoded.tensors).toMatchObject([
    { name: 'a', datatype: 'INT32', shape: [1, 2 ** 40], parameters: ['region'] },
    { name: 'b', datatype: 'FP64', shape: [-1] },
  ]);
  expect(decoded.tensors[1]!.contents).toBeInstanceOf(Buffer);
  expect(decoded.raw.map(String)).toEqual(['abc']);
});

test('raw contents are views, not copies', () => {
  const bytes = encodeInferResponse(message);
  const { raw } = decodeInferResponse(bytes);
  expect(raw[0]!.buffer).toBe(bytes.buffer);
});

test.each([
  ['cut short', encodeInferRequest(message).subarray(0, 40)],
  ['a length beyond the message', Buffer.from('3affffff7f', 'hex')],
  ['a length of 2^63', Buffer.from('3affffffffffffffff7f', 'hex')],
  ['a varint without an end', Buffer.from('80'.repeat(12), 'hex')],
  ['field 0', Buffer.from('0000', 'hex')],
  ['a group', Buffer.from('0b', 'hex')],
])('bytes that are no message are refused: %s', (_name, bytes) => {
  expect(() => decodeInferRequest(bytes)).toThrow(WireError);
});

test('a dimension that no number holds is not taken for another', () => {
  // 2^53 + 1 and the smallest int64
  for (const dimension of ['9007199254740993', '-9223372036854775808']) {
    const bytes = ModelInfer!.requestSerialize({
      model_name: 'm',
      inputs: [{ name: 'a', shape: [dimension] }],
    });
    expect(decodeInferRequest(bytes).tensors[0]!.shape).toEqual([NaN]);
  }
});

test('control messages read as protobufjs reads them', () => {
  expect(ModelReady!.requestDeserialize(encodeModelName('m', '2'))).toEqual({ name: 'm', version: '2' });
  expect(RepositoryModelLoad!.requestDeserialize(encodeRepositoryModel('m'))).toMatchObject({
    model_name: 'm',
  });
  expect(decodeBool(ModelReady!.responseSerialize({ ready: true }))).toBe(true);
  expect(decodeBool(ModelReady!.responseSerialize({ ready: false }))).toBe(false);
  const models = [
    { name: 'a', version: '1', state: 'READY', reason: '' },
    { name: 'b', version: '', state: 'UNAVAILABLE', reason: 'b/config.pbtxt:4:10: no such field' },
  ];
  expect(decodeIndex(RepositoryIndex!.responseSerialize({ models }))).toEqual(models);
});
