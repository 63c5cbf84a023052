import { fieldBytes, stringBytes, varintBytes, WireError, WireReader, WireType, WireWriter } from './wire';

/** ModelInferRequest and ModelInferResponse of schemas/proto/kserve.proto. */
export interface WireTensor {
  readonly name: string;
  readonly datatype: string;
  /** NaN stands for a dimension that no number holds. */
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

export interface DecodedTensor {
  name: string;
  datatype: string;
  shape: number[];
  /** InferTensorContents, still encoded. */
  contents?: Buffer;
  parameters: string[];
}

export interface DecodedInfer {
  model: string;
  version: string;
  id: string;
  tensors: DecodedTensor[];
  requestedOutputs: string[];
  /** Views of the message. */
  raw: Buffer[];
}

/** Field numbers that requests and responses share, but for the raw contents. */
const field = { model: 1, version: 2, id: 3, tensors: 5, requestedOutputs: 6 } as const;
const rawField = { request: 7, response: 6 } as const;
const tensorField = { name: 1, datatype: 2, shape: 3, parameters: 4, contents: 5 } as const;

export interface InferMessage {
  readonly model: string;
  readonly version: string;
  readonly id: string;
  readonly tensors: readonly WireTensor[];
}

function shapeBytes(shape: readonly number[]): number {
  let bytes = 0;
  for (const dimension of shape) bytes += varintBytes(dimension);
  return bytes;
}

function tensorBytes(tensor: WireTensor): number {
  const shape = shapeBytes(tensor.shape);
  return stringBytes(tensor.name) + stringBytes(tensor.datatype) + (shape === 0 ? 0 : fieldBytes(shape));
}

function writeTensor(writer: WireWriter, tensor: WireTensor, bytes: number): void {
  writer.header(field.tensors, bytes);
  writer.string(tensorField.name, tensor.name);
  writer.string(tensorField.datatype, tensor.datatype);
  if (tensor.shape.length === 0) return;
  writer.header(tensorField.shape, shapeBytes(tensor.shape));
  for (const dimension of tensor.shape) writer.varint(dimension);
}

function encode(message: InferMessage, raw: number): Buffer {
  const sizes = message.tensors.map(tensorBytes);
  let total = stringBytes(message.model) + stringBytes(message.version) + stringBytes(message.id);
  for (const size of sizes) total += fieldBytes(size);
  for (const tensor of message.tensors) total += fieldBytes(tensor.data.byteLength);
  const writer = new WireWriter(total);
  writer.string(field.model, message.model);
  writer.string(field.version, message.version);
  writer.string(field.id, message.id);
  message.tensors.forEach((tensor, i) => writeTensor(writer, tensor, sizes[i]!));
  for (const tensor of message.tensors) writer.bytes(raw, tensor.data);
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
  const reader = new WireReader(bytes);
  while (!reader.atEnd) {
    const { field: number, type } = reader.tag();
    if (number === tensorField.shape) readShape(reader, type, tensor.shape);
    else if (type !== WireType.bytes) reader.skip(type);
    else if (number === tensorField.name) tensor.name = reader.string();
    else if (number === tensorField.datatype) tensor.datatype = reader.string();
    else if (number === tensorField.contents) tensor.contents = reader.bytes();
    else if (number === tensorField.parameters) tensor.parameters.push(firstString(reader.bytes()));
    else reader.skip(type);
  }
  return tensor;
}

/** Field 1 of a message: the key of a map entry, the name of a requested output. */
function firstString(bytes: Buffer): string {
  const reader = new WireReader(bytes);
  while (!reader.atEnd) {
    const { field: number, type } = reader.tag();
    if (number === 1 && type === WireType.bytes) return reader.string();
    reader.skip(type);
  }
  return '';
}

function decode(bytes: Buffer, raw: number): DecodedInfer {
  const message: DecodedInfer = {
    model: '',
    version: '',
    id: '',
    tensors: [],
    requestedOutputs: [],
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
    else if (number === field.requestedOutputs) message.requestedOutputs.push(firstString(reader.bytes()));
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
