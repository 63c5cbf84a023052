import { loadProtocol } from '#lib/engine-client/protocol';
import { inferRequestOf as read } from './infer-request';
import { SharedMemoryRegions } from './shared-memory/regions';
import { RequestRegions } from './shared-memory/request-regions';

const inferRequestOf = (bytes: Buffer) =>
  read(bytes, new RequestRegions(new SharedMemoryRegions(), RequestRegions.makePool()));
const { ModelInfer } = loadProtocol().inference;

function rawOf(datatype: string, contents: object): string {
  const inputs = [{ name: 'a', datatype, shape: [2], contents }];
  const request = inferRequestOf(ModelInfer!.requestSerialize({ model_name: 'm', inputs }));
  return Buffer.from(request.inputs[0]!.data).toString('hex');
}

test.each([
  ['BOOL', { bool_contents: [true, false] }, '0100'],
  ['INT8', { int_contents: [-1, 2] }, 'ff02'],
  ['INT16', { int_contents: [-2, 300] }, 'feff2c01'],
  ['INT32', { int_contents: [-2147483648, 1] }, '0000008001000000'],
  ['INT64', { int64_contents: ['-2', '9223372036854775807'] }, 'feffffffffffffffffffffffffffff7f'],
  ['UINT8', { uint_contents: [255, 1] }, 'ff01'],
  ['UINT16', { uint_contents: [65535, 1] }, 'ffff0100'],
  ['UINT32', { uint_contents: [4294967295, 1] }, 'ffffffff01000000'],
  ['UINT64', { uint64_contents: ['18446744073709551615', 1] }, 'ffffffffffffffff0100000000000000'],
  ['FP32', { fp32_contents: [1, -2] }, '0000803f000000c0'],
  ['FP64', { fp64_contents: [1, -2] }, '000000000000f03f00000000000000c0'],
  ['BYTES', { bytes_contents: [Buffer.from('ab'), Buffer.alloc(0)] }, '02000000616200000000'],
])('typed contents of %s become raw bytes', (datatype, contents, hex) => {
  expect(rawOf(datatype, contents)).toBe(hex);
});

test.each([
  ['FP16', { fp32_contents: [1] }, /FP16 has no typed contents/],
  ['INT32', { fp32_contents: [1] }, /inputs\[0\] "a".contents: field 6 is not that of INT32/],
  ['__proto__', { fp32_contents: [1] }, /__proto__ has no typed contents/],
])('contents of another type are refused: %s', (datatype, contents, message) => {
  expect(() => rawOf(datatype, contents)).toThrow(message);
});

test('raw contents must be one an input, and none beside typed ones', () => {
  const request = (message: object) => () => inferRequestOf(ModelInfer!.requestSerialize(message));
  const a = { name: 'a', datatype: 'INT32', shape: [1] };
  expect(request({ inputs: [a, a], raw_input_contents: [Buffer.alloc(4)] })).toThrow(
    /1 entries for 2 inputs/,
  );
  const typed = { ...a, contents: { int_contents: [1] } };
  expect(request({ inputs: [typed], raw_input_contents: [Buffer.alloc(4)] })).toThrow(/inputs\[0\].contents/);
  const shared = { ...a, parameters: { shared_memory_region: { string_param: 'x' } } };
  expect(request({ inputs: [shared] })).toThrow(/shared memory/);
});
