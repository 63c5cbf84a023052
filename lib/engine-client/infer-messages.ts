import {
  readParameter,
  regionEntries,
  regionOf,
  type Parameter,
  type RegionReference,
} from './region-parameters';
import {
  parameterEntries,
  readRequestParameter,
  type ParameterRow,
  type ParameterValue,
} from './request-parameters';
import { fieldBytes, stringBytes, varintBytes, WireError, WireReader, WireType, WireWriter } from './wire';

/** ModelInferRequest and ModelInferResponse of schemas/proto/kserve.proto. */
export interface WireTensor {
  readonly name: string;
  readonly datatype: string;
  /** NaN stands for a dimension that no number holds. */
  readonly shape: readonly number[];
  readonly data: Uint8Array;
  /** The contents lie there instead, and `data` is empty. */
  readonly region?: RegionReference | undefined;
}

export interface DecodedTensor {
  name: string;
  datatype: string;
  shape: number[];
  /** InferTensorContents, still encoded. */
  contents?: Buffer;
  parameters: string[];
  region?: RegionReference | undefined;
}

export interface DecodedInfer {
  model: string;
  version: string;
  id: string;
  tensors: DecodedTensor[];
  requestedOutputs: string[];
  /** Where requested outputs are to be put. */
  outputRegions: Map<string, RegionReference>;
  /** Of a request. undefined: one without a value. */
  parameters: Map<string, ParameterValue | undefined>;
  /** Views of the message. */
  raw: Buffer[];
}

/** Field numbers that requests and responses share, but for the raw contents. */
const field = { model: 1, version: 2, id: 3, parameters: 4, tensors: 5, requestedOutputs: 6 } as const;
const rawField = { request: 7, response: 6 } as const;
const tensorField = { name: 1, datatype: 2, shape: 3, parameters: 4, contents: 5 } as const;
const outputField = { name: 1, parameters: 2 } as const;

export interface RequestedOutput {
  readonly name: string;
  readonly region?: RegionReference | undefined;
}

export interface InferMessage {
  readonly model: string;
  readonly version: string;
  readonly id: string;
  readonly tensors: readonly WireTensor[];
  /** Of a request. */
  readonly outputs?: readonly RequestedOutput[];
  readonly parameters?: ParameterRow;
}

function shapeBytes(shape: readonly number[]): number {
  let bytes = 0;
  for (const dimension of shape) bytes += varintBytes(dimension);
  return bytes;
}

function tensorBytes(tensor: WireTensor): number {
  const shape = shapeBytes(tensor.shape);
  const names = stringBytes(tensor.name) + stringBytes(tensor.datatype);
  return names + (shape === 0 ? 0 : fieldBytes(shape)) + entriesBytes(tensor.region);
}

function entriesBytes(region: RegionReference | undefined): number {
  if (region === undefined) return 0;
  return regionEntries(region).reduce((sum, entry) => sum + fieldBytes(entry.length), 0);
}
function writeEntries(writer: WireWriter, number: number, region: RegionReference | undefined): void {
  if (region === undefined) return;
  for (const entry of regionEntries(region)) writer.bytes(number, entry);
}

function outputBytes({ name, region }: RequestedOutput): number {
  return stringBytes(name) + entriesBytes(region);
}
function writeOutput(writer: WireWriter, output: RequestedOutput): void {
  writer.header(field.requestedOutputs, outputBytes(output));
  writer.string(outputField.name, output.name);
  writeEntries(writer, outputField.parameters, output.region);
}

function writeTensor(writer: WireWriter, tensor: WireTensor, bytes: number): void {
  writer.header(field.tensors, bytes);
  writer.string(tensorField.name, tensor.name);
  writer.string(tensorField.datatype, tensor.datatype);
  if (tensor.shape.length > 0) writer.header(tensorField.shape, shapeBytes(tensor.shape));
  for (const dimension of tensor.shape) writer.varint(dimension);
  writeEntries(writer, tensorField.parameters, tensor.region);
}

function encode(message: InferMessage, raw: number): Buffer {
  const sizes = message.tensors.map(tensorBytes);
  const parameters = parameterEntries(message.parameters ?? []);
  let total = stringBytes(message.model) + stringBytes(message.version) + stringBytes(message.id);
  for (const size of sizes) total += fieldBytes(size);
  for (const { length } of parameters) total += fieldBytes(length);
  // A request has no raw entry for what lies in shared memory, a response an empty one.
  const inline =
    raw === rawField.response ? message.tensors : message.tensors.filter(({ region }) => !region);
  for (const output of message.outputs ?? []) total += fieldBytes(outputBytes(output));
  for (const tensor of inline) total += fieldBytes(tensor.data.byteLength);
  const writer = new WireWriter(total);
  writer.string(field.model, message.model);
  writer.string(field.version, message.version);
  writer.string(field.id, message.id);
  for (const entry of parameters) writer.bytes(field.parameters, entry);
  message.tensors.forEach((tensor, i) => writeTensor(writer, tensor, sizes[i]!));
  for (const output of message.outputs ?? []) writeOutput(writer, output);
  for (const tensor of inline) writer.bytes(raw, tensor.data);
  return writer.buffer;
}

/** One copy of the tensors, as raw contents. Dimensions must be whole and not negative. */
export function encodeInferRequest(message: InferMessage): Buffer {
  return encode(message, rawField.request);
}
export function encodeInferResponse(message: InferMessage): Buffer {
  return encode(message, rawField.response);
}

function readShape(reader: WireReader, type: number, shape: number[]): void {
  if (type === WireType.varint) shape.push(reader.signed());
  else if (type !== WireType.bytes) throw new WireError(`a shape of wire type ${type}`);
  if (type === WireType.varint) return;
  const packed = new WireReader(reader.bytes());
  while (!packed.atEnd) shape.push(packed.signed());
}

function decodeTensor(bytes: Buffer): DecodedTensor {
  const tensor: DecodedTensor = { name: '', datatype: '', shape: [], parameters: [] };
  const parameters: Parameter[] = [];
  const reader = new WireReader(bytes);
  while (!reader.atEnd) {
    const { field: number, type } = reader.tag();
    if (number === tensorField.shape) readShape(reader, type, tensor.shape);
    else if (type !== WireType.bytes) reader.skip(type);
    else if (number === tensorField.name) tensor.name = reader.string();
    else if (number === tensorField.datatype) tensor.datatype = reader.string();
    else if (number === tensorField.contents) tensor.contents = reader.bytes();
    else if (number === tensorField.parameters) parameters.push(readParameter(reader.bytes()));
    else reader.skip(type);
  }
  tensor.parameters = parameters.map(({ key }) => key);
  const region = regionOf(parameters);
  return region === undefined ? tensor : { ...tensor, region };
}

function decodeOutput(bytes: Buffer, message: DecodedInfer): void {
  const reader = new WireReader(bytes);
  const parameters: Parameter[] = [];
  let name = '';
  while (!reader.atEnd) {
    const { field: number, type } = reader.tag();
    if (type !== WireType.bytes) reader.skip(type);
    else if (number === outputField.name) name = reader.string();
    else if (number === outputField.parameters) parameters.push(readParameter(reader.bytes()));
    else reader.skip(type);
  }
  message.requestedOutputs.push(name);
  const region = regionOf(parameters);
  if (region !== undefined) message.outputRegions.set(name, region);
}

function decodeOfRequest(number: number, bytes: Buffer, message: DecodedInfer): void {
  if (number === field.requestedOutputs) decodeOutput(bytes, message);
  else if (number === field.parameters) readRequestParameter(bytes, message.parameters);
}

function decode(bytes: Buffer, raw: number): DecodedInfer {
  const message: DecodedInfer = {
    model: '',
    version: '',
    id: '',
    tensors: [],
    requestedOutputs: [],
    outputRegions: new Map(),
    parameters: new Map(),
    raw: [],
  };
  const reader = new WireReader(bytes);
  while (!reader.atEnd) {
    const { field: number, type } = reader.tag();
    if (type !== WireType.bytes) reader.skip(type);
    else if (number === field.model) message.model = reader.string();
    else if (number === field.version) message.version = reader.string();
    else if (number === field.id) message.id = reader.string();
    else if (number === field.tensors) message.tensors.push(decodeTensor(reader.bytes()));
    else if (number === raw) message.raw.push(reader.bytes());
    else if (raw === rawField.request) decodeOfRequest(number, reader.bytes(), message);
    else reader.skip(type);
  }
  return message;
}

/** Throws WireError for bytes that are no such message. */
export function decodeInferRequest(bytes: Buffer): DecodedInfer {
  return decode(bytes, rawField.request);
}
export function decodeInferResponse(bytes: Buffer): DecodedInfer {
  return decode(bytes, rawField.response);
}
