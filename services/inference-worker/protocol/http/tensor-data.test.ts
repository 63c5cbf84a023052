import type { Json } from './exact-json';
import { dataText, packData } from './tensor-data';

const roundTrip = (data: readonly Json[], datatype: string, shape = [data.length]): string =>
  dataText(packData(data, datatype, shape, 'data'), datatype, 'data');

test.each<[string, Json[], string]>([
  ['BOOL', [true, false], '[true,false]'],
  ['INT8', [-128, 127], '[-128,127]'],
  ['UINT8', [0, 255], '[0,255]'],
  ['INT16', [-32768, 32767], '[-32768,32767]'],
  ['UINT16', [0, 65535], '[0,65535]'],
  ['INT32', [-2147483648, 2147483647], '[-2147483648,2147483647]'],
  ['UINT32', [0, 4294967295], '[0,4294967295]'],
  [
    'INT64',
    [-(2n ** 63n), 2n ** 63n - 1n, 9007199254740993n, 7],
    '[-9223372036854775808,9223372036854775807,9007199254740993,7]',
  ],
  ['UINT64', [2n ** 64n - 1n, 0], '[18446744073709551615,0]'],
  ['FP32', [0.1, -0, NaN, Infinity, -Infinity, 16777216], '[0.1,-0.0,NaN,Infinity,-Infinity,16777216]'],
  ['FP64', [0.1, 1e300, 2n ** 60n], '[0.1,1e+300,1152921504606847000]'],
  ['BYTES', ['', 'é"\n', '😀'], '["","é\\"\\n","😀"]'],
])('%s goes there and back', (datatype, data, text) => {
  expect(roundTrip(data, datatype)).toBe(text);
});

test('nested arrays stand for the same elements', () => {
  expect(
    roundTrip(
      [
        [1, 2],
        [3, [4]],
      ],
      'INT32',
      [2, 2],
    ),
  ).toBe('[1,2,3,4]');
});

test.each<[string, Json[], string, number[], RegExp]>([
  ['too few', [1, 2], 'INT32', [3], /data: 2 elements, the shape \[3\] has 3/],
  ['a shape that no memory holds', [1], 'INT32', [1e12], /data: 1 elements, the shape \[1000000000000\]/],
  ['a fraction', [1, 1.5], 'INT32', [2], /data\[1\]: 1.5 is no INT32/],
  ['too large', [256], 'UINT8', [1], /data\[0\]: 256 is no UINT8/],
  ['negative', [-1], 'UINT64', [1], /data\[0\]: -1 is no UINT64/],
  // 2^63 is one more than INT64 holds.
  ['beyond 64 bits', [2n ** 63n], 'INT64', [1], /9223372036854775808 is no INT64/],
  ['digits that a double lost', [1e19], 'UINT64', [1], /10000000000000000000 is no UINT64/],
  ['beyond a float', [1e39], 'FP32', [1], /1e\+39 is no FP32/],
  ['NaN where integers are', [NaN], 'INT32', [1], /NaN is no INT32/],
  ['text where numbers are', ['1'], 'FP32', [1], /"1" is no FP32/],
  ['a number where text is', [1], 'BYTES', [1], /data\[0\]: 1, BYTES are strings/],
  ['half a surrogate pair', ['\ud800'], 'BYTES', [1], /data\[0\]: half a surrogate pair/],
  ['a number where a truth is', [1], 'BOOL', [1], /data\[0\]: 1 is no BOOL/],
  ['null', [null], 'INT32', [1], /data\[0\]: null is no INT32/],
  ['an object', [new Map()], 'INT32', [1], /data\[0\]: an object is no INT32/],
  ['half floats', [1], 'FP16', [1], /data: FP16 has no form in JSON, use the binary/],
  ['no datatype', [1], 'INT31', [1], /data: "INT31" is no datatype/],
])('%s is refused', (_name, data, datatype, shape, message) => {
  expect(() => packData(data, datatype, shape, 'data')).toThrow(message);
});

test('outputs that JSON has no text for are refused', () => {
  const bytes = Buffer.from([1, 0, 0, 0, 0xff]);
  expect(() => dataText(bytes, 'BYTES', 'outputs[0]')).toThrow(/outputs\[0\]: bytes that are no UTF-8/);
  expect(() => dataText(Buffer.from([9, 0, 0, 0, 1]), 'BYTES', 'outputs[0]')).toThrow(/runs over the end/);
  expect(() => dataText(Buffer.alloc(2), 'FP16', 'outputs[0]')).toThrow(/FP16/);
});
