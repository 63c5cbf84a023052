import {
  decodeInferRequest,
  decodeInferResponse,
  encodeInferRequest,
  encodeInferResponse,
  type DecodedInfer,
  type WireTensor,
} from '#lib/engine-client/infer-messages';
import type { AnswerNotes, InferRequest, InferResponse } from '#lib/engine-client/port';
import { parameterRow, rowOfParameters, type ParameterRow } from '#lib/engine-client/request-parameters';
import type { NamedTensor } from '#schemas/domain';
import { type RoundhouseError } from '#schemas/errors';
import { keyBytes } from './peer-tokens';

/**
 * Messages over UCX. The header: the connection's key, the kind, the length of the description, an id, milliseconds
 * that remain, and the description. The data: the tensors' bytes, each aligned. Numbers are little-endian.
 */
export const protocolVersion = 1;
export const frameKinds = {
  /** Description: the token. Instead of the key: zeros. */
  hello: 1,
  /** Description: the receiver's limits as JSON. */
  welcome: 2,
  ping: 3,
  pong: 4,
  infer: 5,
  cancel: 6,
  answer: 7,
  failure: 8,
  /** Nothing new, please; what is under way is answered. */
  bye: 9,
} as const;
export type FrameKind = (typeof frameKinds)[keyof typeof frameKinds];

export interface FrameHeader {
  readonly kind: number;
  readonly id: number;
  readonly remainingMs: number;
  readonly description: Buffer;
}

const at = { kind: 16, descriptionBytes: 20, id: 24, remainingMs: 32, description: 40 } as const;
const alignment = 64;
const mostTensors = 1_024;
const padding = new Uint8Array(alignment);
const none = Buffer.alloc(0);

const alignedUp = (bytes: number): number => Math.ceil(bytes / alignment) * alignment;

export class FrameError extends Error {}

export function encodeHeader(
  key: Uint8Array,
  kind: FrameKind,
  id = 0,
  description: Uint8Array = none,
  remainingMs = 0,
): Buffer {
  const header = Buffer.alloc(at.description + description.length);
  header.set(key.subarray(0, keyBytes));
  header.writeUInt8(kind, at.kind);
  header.writeUInt32LE(description.length, at.descriptionBytes);
  header.writeDoubleLE(id, at.id);
  header.writeDoubleLE(remainingMs, at.remainingMs);
  header.set(description, at.description);
  return header;
}

/** Throws FrameError. The key has been checked by whoever received it. */
export function decodeHeader(header: Buffer): FrameHeader {
  if (header.length < at.description) throw new FrameError('a header that is cut short');
  const bytes = header.readUInt32LE(at.descriptionBytes);
  if (bytes !== header.length - at.description) throw new FrameError('a description of another length');
  const id = header.readDoubleLE(at.id);
  if (!Number.isSafeInteger(id) || id < 0) throw new FrameError('an id that is none');
  const description = header.subarray(at.description);
  return {
    kind: header.readUInt8(at.kind),
    id,
    remainingMs: header.readDoubleLE(at.remainingMs),
    description,
  };
}

/** Where tensors of these lengths lie in the data, and how long the data are. */
export function placesOf(lengths: readonly number[]): { offsets: number[]; bytes: number } {
  let bytes = 0;
  const offsets = lengths.map((length) => {
    const offset = length === 0 ? bytes : alignedUp(bytes);
    bytes = offset + length;
    return offset;
  });
  return { offsets, bytes };
}

/** The data of a message as UCX gathers them: the tensors where they are, and zeros between them. */
export function partsOf(data: readonly Uint8Array[]): Uint8Array[] {
  const { offsets } = placesOf(data.map(({ byteLength }) => byteLength));
  const parts: Uint8Array[] = [];
  let end = 0;
  data.forEach((bytes, i) => {
    if (bytes.byteLength === 0) return;
    if (offsets[i]! > end) parts.push(padding.subarray(0, offsets[i]! - end));
    parts.push(bytes);
    end = offsets[i]! + bytes.byteLength;
  });
  return parts;
}

function withLengths(lengths: readonly number[], rest: readonly Uint8Array[]): Buffer {
  const head = Buffer.alloc(4 + 8 * lengths.length);
  head.writeUInt32LE(lengths.length);
  lengths.forEach((length, i) => head.writeDoubleLE(length, 4 + 8 * i));
  return Buffer.concat([head, ...rest]);
}

function readLengths(description: Buffer): { lengths: number[]; rest: Buffer } {
  const count = description.length < 4 ? NaN : description.readUInt32LE();
  const end = 4 + 8 * count;
  if (!(count <= mostTensors && end <= description.length)) throw new FrameError('no list of lengths');
  const lengths = Array.from({ length: count }, (_, i) => description.readDoubleLE(4 + 8 * i));
  const isGood = lengths.every((length) => Number.isSafeInteger(length) && length >= 0);
  if (!isGood) throw new FrameError('a length that is none');
  return { lengths, rest: description.subarray(end) };
}

const withoutData = ({ name, datatype, shape }: NamedTensor): WireTensor => ({
  name,
  datatype,
  shape,
  data: none,
});

export function describeRequest(request: InferRequest): Buffer {
  const { model, version, requestId: id, inputs } = request;
  const parameters = parameterRow(request.parameters);
  const message = encodeInferRequest({ model, version, id, tensors: inputs.map(withoutData), parameters });
  return withLengths(
    inputs.map(({ data }) => data.byteLength),
    [message],
  );
}

export interface DescribedRequest {
  readonly model: string;
  readonly version: string;
  readonly requestId: string;
  readonly parameters: ParameterRow;
  /** What the tensors are but for their data. */
  readonly tensors: DecodedInfer['tensors'];
  readonly lengths: readonly number[];
}

/** `bytes`: of the message's data. Throws FrameError, or PAYLOAD_INVALID for a parameter without a value. */
export function readRequest(description: Buffer, bytes: number): DescribedRequest {
  const { lengths, rest } = readLengths(description);
  const { model, version, id: requestId, tensors, parameters } = decoded(decodeInferRequest, rest);
  requireLengths(lengths, tensors.length, bytes);
  return { model, version, requestId, tensors, lengths, parameters: rowOfParameters(parameters) };
}

export function describeAnswer({ model, version, outputs }: InferResponse, notes: AnswerNotes): Buffer {
  const message = encodeInferResponse({ model, version, id: '', tensors: outputs.map(withoutData) });
  const json = Buffer.from(JSON.stringify(notes));
  const size = Buffer.alloc(4);
  size.writeUInt32LE(json.length);
  return withLengths(
    outputs.map(({ data }) => data.byteLength),
    [size, json, message],
  );
}

export interface DescribedAnswer extends Pick<InferResponse, 'model' | 'version'> {
  readonly tensors: DecodedInfer['tensors'];
  readonly lengths: readonly number[];
  readonly notes: AnswerNotes;
}

/** Throws FrameError. */
export function readAnswer(description: Buffer, bytes: number): DescribedAnswer {
  const { lengths, rest } = readLengths(description);
  const size = rest.length < 4 ? NaN : rest.readUInt32LE();
  if (!(size <= rest.length - 4)) throw new FrameError('notes that are cut short');
  const notes = readJson(rest.subarray(4, 4 + size)) as AnswerNotes;
  const { model, version, tensors } = decoded(decodeInferResponse, rest.subarray(4 + size));
  requireLengths(lengths, tensors.length, bytes);
  return { model, version, tensors, lengths, notes };
}

/** The tensors over the bytes that came. */
export function tensorsOver(
  memory: Buffer,
  { tensors, lengths }: Pick<DescribedRequest, 'tensors' | 'lengths'>,
): NamedTensor[] {
  const { offsets } = placesOf(lengths);
  return tensors.map(({ name, datatype, shape }, i) => ({
    name,
    datatype: datatype as NamedTensor['datatype'],
    shape,
    data: memory.subarray(offsets[i], offsets[i]! + lengths[i]!),
  }));
}

const mostMessageLetters = 1_000;

export interface FailureFacts {
  readonly code: string;
  readonly message: string;
  readonly remainingMs?: number | undefined;
  readonly load: unknown;
}

export function describeFailure({ code, message, remainingMs }: RoundhouseError, load: unknown): Buffer {
  const facts: FailureFacts = { code, message: message.slice(0, mostMessageLetters), remainingMs, load };
  return Buffer.from(JSON.stringify(facts));
}

/** Throws FrameError. */
export function readFailure(description: Buffer): FailureFacts {
  const facts = readJson(description) as Partial<FailureFacts>;
  const { code, message, remainingMs, load } = facts;
  if (typeof code !== 'string' || typeof message !== 'string')
    throw new FrameError('a failure without a code');
  return { code, message, remainingMs: typeof remainingMs === 'number' ? remainingMs : undefined, load };
}

export function readJson(bytes: Buffer): object {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Said below.
  }
  throw new FrameError('a description that is no JSON object');
}

function decoded(decode: (bytes: Buffer) => DecodedInfer, bytes: Buffer): DecodedInfer {
  try {
    return decode(bytes);
  } catch (cause) {
    throw new FrameError(`a description that can't be read: ${String(cause)}`);
  }
}

function requireLengths(lengths: readonly number[], tensors: number, bytes: number): void {
  if (lengths.length !== tensors) throw new FrameError(`${lengths.length} lengths for ${tensors} tensors`);
  const described = placesOf(lengths).bytes;
  if (described !== bytes) throw new FrameError(`${bytes} bytes of data, ${described} described`);
}
