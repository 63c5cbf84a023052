import { decodeInferRequest, encodeInferRequest } from './infer-messages';
import { loadProtocol } from './protocol';
import { mostParameters, parameterRow, rowOfParameters, type RequestParameters } from './request-parameters';

/** The reference is protobufjs with schemas/proto/kserve.proto. */
const { ModelInfer } = loadProtocol().inference;

function encoded(parameters: RequestParameters): Buffer {
  return encodeInferRequest({
    model: 'm',
    version: '',
    id: '',
    tensors: [],
    parameters: parameterRow(parameters),
  });
}
const decoded = (bytes: Buffer) => rowOfParameters(decodeInferRequest(bytes).parameters);

const everyKind = {
  hang: true,
  off: false,
  delay_ms: 40,
  below: -1,
  share: 0.5,
  fail: 'no room, é',
  empty: '',
};

test('parameters read as protobufjs reads them', () => {
  const { parameters } = ModelInfer!.requestDeserialize(encoded({ ...everyKind, most: 2n ** 64n - 1n })) as {
    parameters: Record<string, { parameter_choice: string }>;
  };
  expect(parameters).toEqual({
    hang: expect.objectContaining({ bool_param: true, parameter_choice: 'bool_param' }),
    off: expect.objectContaining({ bool_param: false, parameter_choice: 'bool_param' }),
    delay_ms: expect.objectContaining({ int64_param: 40, parameter_choice: 'int64_param' }),
    below: expect.objectContaining({ int64_param: -1, parameter_choice: 'int64_param' }),
    share: expect.objectContaining({ double_param: 0.5, parameter_choice: 'double_param' }),
    fail: expect.objectContaining({ string_param: 'no room, é', parameter_choice: 'string_param' }),
    empty: expect.objectContaining({ string_param: '', parameter_choice: 'string_param' }),
    most: expect.objectContaining({ parameter_choice: 'uint64_param' }),
  });
});

test('what was encoded is decoded, kinds and limits included', () => {
  const parameters = {
    ...everyKind,
    least: -(2n ** 63n),
    most: 2n ** 63n - 1n,
    large: 2n ** 64n - 1n,
    two: 2,
  };
  // Whole numbers are int64, as bigint.
  const kinds = { ...parameters, delay_ms: 40n, below: -1n, two: 2n };
  expect(decoded(encoded(parameters))).toEqual(Object.entries(kinds).flat());
  // Beyond 2^53 and without a whole value a number is a double.
  const reals = [2 ** 60, 1e300, -0.25, Infinity];
  for (const value of reals) expect(decoded(encoded({ value }))).toEqual(['value', value]);
  expect(decoded(encoded({ value: NaN }))[1]).toBeNaN();
});

test('reads what protobufjs wrote; the last of a key wins', () => {
  const bytes = ModelInfer!.requestSerialize({
    model_name: 'm',
    parameters: { a: { double_param: 2 }, b: { uint64_param: 7 }, c: { bool_param: false } },
  });
  expect(decoded(bytes)).toEqual(['a', 2, 'b', 7n, 'c', false]);
  expect(decoded(Buffer.concat([bytes, encoded({ b: 'again' })]))).toEqual([
    'a',
    2,
    'b',
    'again',
    'c',
    false,
  ]);
});

test('a parameter without a value is refused by name', () => {
  const bytes = ModelInfer!.requestSerialize({ model_name: 'm', parameters: { nothing: {} } });
  expect(() => decoded(bytes)).toThrow('parameters["nothing"]: has no value');
});

test('entries far beyond the limit are not kept', () => {
  const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`p${i}`, true]));
  expect(decodeInferRequest(encoded(many)).parameters.size).toBe(mostParameters + 1);
});

test.each([
  ['an integer above uint64', { a: 2n ** 64n }, 'parameters["a"]: no integer of 64 bits holds it'],
  ['an integer below int64', { a: -(2n ** 63n) - 1n }, 'parameters["a"]: no integer of 64 bits holds it'],
  ['null', { a: null }, 'parameters["a"]: no boolean, number or text'],
  ['an object', { a: {} }, 'parameters["a"]: no boolean, number or text'],
  ['undefined', { a: undefined }, 'parameters["a"]: no boolean, number or text'],
])('values that no parameter has are refused by name: %s', (_name, parameters, message) => {
  expect(() => parameterRow(parameters as never)).toThrow(
    expect.objectContaining({ code: 'PAYLOAD_INVALID', message }),
  );
});
