import { readFileSync } from 'node:fs';
import { ArgumentsInvalid } from '#lib/command-line';

/** A tensor as all ways send it. */
export interface BenchTensor {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly data: Buffer;
}

export interface InputMetadata {
  readonly name: string;
  readonly datatype: string;
  /** −1: left open. */
  readonly shape: readonly number[];
}

type Write = (into: Buffer, at: number, value: number) => void;
const kinds = new Map<string, readonly [bytes: number, write: Write]>([
  ['BOOL', [1, (into, at, value) => void into.writeUInt8(value === 0 ? 0 : 1, at)]],
  ['INT8', [1, (into, at, value) => void into.writeInt8(value, at)]],
  ['UINT8', [1, (into, at, value) => void into.writeUInt8(value, at)]],
  ['INT16', [2, (into, at, value) => void into.writeInt16LE(value, at)]],
  ['UINT16', [2, (into, at, value) => void into.writeUInt16LE(value, at)]],
  ['INT32', [4, (into, at, value) => void into.writeInt32LE(value, at)]],
  ['UINT32', [4, (into, at, value) => void into.writeUInt32LE(value, at)]],
  ['INT64', [8, (into, at, value) => void into.writeBigInt64LE(BigInt(value), at)]],
  ['UINT64', [8, (into, at, value) => void into.writeBigUInt64LE(BigInt(value), at)]],
  ['FP16', [2, () => undefined]],
  ['BF16', [2, () => undefined]],
  ['FP32', [4, (into, at, value) => void into.writeFloatLE(value, at)]],
  ['FP64', [8, (into, at, value) => void into.writeDoubleLE(value, at)]],
]);

function pack(datatype: string, values: readonly number[], where: string): Buffer {
  const kind = kinds.get(datatype);
  if (kind === undefined) throw new ArgumentsInvalid(`${where}: ${datatype} can't be made up; give --input`);
  const [bytes, write] = kind;
  const data = Buffer.alloc(values.length * bytes);
  try {
    values.forEach((value, i) => write(data, i * bytes, value));
  } catch (error) {
    throw new ArgumentsInvalid(`${where}: ${(error as Error).message}`);
  }
  return data;
}

const elementsOf = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);

/** Numbers with a pattern for floats, zeros for integers: those may be sizes or indices. */
function madeUp(input: InputMetadata, shapes: ReadonlyMap<string, readonly number[]>): BenchTensor {
  const { name, datatype } = input;
  const shape = shapes.get(name) ?? input.shape.map((size, i) => (size === -1 && i === 0 ? 1 : size));
  if (shape.includes(-1)) {
    throw new ArgumentsInvalid(
      `the model leaves a dimension of "${name}" [${input.shape.join(', ')}] open: give --shape ${name}:d,d,…`,
    );
  }
  const isFloat = datatype.startsWith('FP');
  const values = Array.from({ length: elementsOf(shape) }, (_, i) => (isFloat ? (i % 100) / 100 : 0));
  return { name, datatype, shape, data: pack(datatype, values, name) };
}

export function madeUpTensors(
  inputs: readonly InputMetadata[],
  shapes: ReadonlyMap<string, readonly number[]>,
): BenchTensor[] {
  const unknown = [...shapes.keys()].find((name) => !inputs.some((input) => input.name === name));
  if (unknown !== undefined) {
    const names = inputs.map(({ name }) => name).join(', ');
    throw new ArgumentsInvalid(`--shape: the model has no input "${unknown}"; its inputs are ${names}`);
  }
  return inputs.map((input) => madeUp(input, shapes));
}

interface JsonInput {
  readonly name: string;
  readonly datatype: string;
  readonly shape: readonly number[];
  readonly data: readonly unknown[];
}

function packText(values: readonly unknown[]): Buffer {
  const parts = values.flatMap((value) => {
    const bytes = Buffer.from(String(value));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat(parts);
}

/** A request of docs/kserve.md; integers beyond 2^53 are not for here. */
export function tensorsOfFile(file: string): BenchTensor[] {
  let inputs: readonly JsonInput[] | undefined;
  try {
    inputs = (JSON.parse(readFileSync(file, 'utf8')) as { inputs?: readonly JsonInput[] }).inputs;
  } catch (error) {
    throw new ArgumentsInvalid(`--input: ${file}: ${(error as Error).message}`);
  }
  if (!Array.isArray(inputs)) throw new ArgumentsInvalid(`--input: ${file} has no array "inputs"`);
  return (inputs as readonly JsonInput[]).map(({ name, datatype, shape, data }, i) => {
    const where = `--input: ${file}: inputs[${i}]`;
    if (!Array.isArray(data) || !Array.isArray(shape))
      throw new ArgumentsInvalid(`${where}: shape and data are arrays`);
    const values = data.flat(Infinity) as unknown[];
    if (values.length !== elementsOf(shape))
      throw new ArgumentsInvalid(`${where}: ${values.length} elements for [${shape.join(', ')}]`);
    const packed = datatype === 'BYTES' ? packText(values) : pack(datatype, values.map(Number), where);
    return { name, datatype, shape, data: packed };
  });
}
