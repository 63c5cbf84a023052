import { checkInputs } from './tensor';

const good = { name: 'a', datatype: 'INT64', shape: [1, 3], data: new Uint8Array(24) };

test('tensors that hold together pass', () => {
  checkInputs([good, { ...good, name: 'b', datatype: 'BYTES', shape: [7], data: new Uint8Array(3) }]);
  checkInputs([{ ...good, shape: [1, 0], data: new Uint8Array(0) }]);
});

test.each([
  [{ ...good, data: new Uint8Array(23) }, /inputs\[0\] "a".data: 23 bytes, but \[1, 3\] of INT64 needs 24/],
  [{ ...good, shape: [1, -3] }, /"a".shape: -3/],
  [{ ...good, shape: [1, NaN] }, /"a".shape: NaN/],
  [{ ...good, shape: [1.5, 2] }, /"a".shape: 1.5/],
  // 2^40 · 2^40 elements: the product is no size of any buffer
  [{ ...good, shape: [2 ** 40, 2 ** 40] }, /"a".data: 24 bytes/],
  [{ ...good, datatype: '' }, /"a".datatype: \(empty\)/],
  [{ ...good, datatype: 'constructor' }, /"a".datatype: constructor/],
])('a tensor that does not is refused: %#', (bad, message) => {
  expect(() => checkInputs([bad])).toThrow(message);
});

test('a name that comes twice is refused', () => {
  expect(() => checkInputs([good, good])).toThrow(/inputs\[1\] "a".name/);
});
