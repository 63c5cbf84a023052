import {
  decodeInferRequest,
  decodeInferResponse,
  encodeInferRequest,
  encodeInferResponse,
  type DecodedInfer,
  type WireTensor,
} from '#lib/engine-client/infer-messages';
import { notesIn } from '#lib/engine-client/peer-notes';
import type { AnswerNotes, InferRequest, InferResponse } from '#lib/engine-client/port';
import { parameterRow, rowOfParameters, type ParameterRow } from '#lib/engine-client/request-parameters';
import type { NamedTensor } from '#schemas/domain';
import type { RoundhouseError } from '#schemas/errors';
import { placesOf, type DescribedTensors } from './frame-data';
import { FrameError } from './frame-header';

const mostTensors = 1_024;
const none = Buffer.alloc(0);

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
  const size = Buffer.alloc(8);
  size.writeDoubleLE(request.size ?? 0);
  return withLengths(
    inputs.map(({ data }) => data.byteLength),
    [size, message],
  );
}

export interface DescribedRequest extends DescribedTensors {
  /** 0: not said. */
  readonly size: number;
  readonly model: string;
  readonly version: string;
  readonly requestId: string;
  readonly parameters: ParameterRow;
}

/** `bytes`: of the message's data. Throws FrameError, or PAYLOAD_INVALID for a parameter without a value. */
export function readRequest(description: Buffer, bytes: number): DescribedRequest {
  const { lengths, rest } = readLengths(description);
  const size = rest.length < 8 ? NaN : rest.readDoubleLE();
  if (!(size >= 0 && size <= Number.MAX_SAFE_INTEGER)) throw new FrameError('a size that is none');
  const message = decoded(decodeInferRequest, rest.subarray(8));
  const { model, version, id: requestId, tensors } = message;
  requireLengths(lengths, tensors.length, bytes);
  return {
    size,
    model,
    version,
    requestId,
    tensors,
    lengths,
    parameters: rowOfParameters(message.parameters),
  };
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

export interface DescribedAnswer extends DescribedTensors, Pick<InferResponse, 'model' | 'version'> {
  readonly notes: AnswerNotes;
}

/** Throws FrameError. */
export function readAnswer(description: Buffer, bytes: number): DescribedAnswer {
  const { lengths, rest } = readLengths(description);
  const size = rest.length < 4 ? NaN : rest.readUInt32LE();
  if (!(size <= rest.length - 4)) throw new FrameError('notes that are cut short');
  const notes = notesIn(readJson(rest.subarray(4, 4 + size)));
  const { model, version, tensors } = decoded(decodeInferResponse, rest.subarray(4 + size));
  requireLengths(lengths, tensors.length, bytes);
  return { model, version, tensors, lengths, notes };
}

const mostMessageLetters = 1_000;
/** JSON takes up to six bytes for a letter. */
const fewLetters = 100;

/** Refusals that cost the other worker nothing, as placement.ts has them. */
export const refusalKinds = ['late', 'unfit', 'no_engine', 'handed_over'] as const;
export type RefusalKind = (typeof refusalKinds)[number];

export interface FailureFacts {
  readonly code: string;
  readonly refusal: RefusalKind | null;
  readonly message: string;
  readonly remainingMs?: number | undefined;
  readonly load: unknown;
}

/** Few words, and no load, where it would have more than `mostBytes`: at least a thousand. */
export function describeFailure(
  { code, message, remainingMs }: RoundhouseError,
  refusal: RefusalKind | null,
  load: unknown,
  mostBytes = Infinity,
): Buffer {
  const facts: FailureFacts = {
    code,
    refusal,
    message: message.slice(0, mostMessageLetters),
    remainingMs,
    load,
  };
  const whole = Buffer.from(JSON.stringify(facts));
  if (whole.length <= mostBytes) return whole;
  return Buffer.from(JSON.stringify({ ...facts, message: message.slice(0, fewLetters), load: undefined }));
}

/** Throws FrameError. */
export function readFailure(description: Buffer): FailureFacts {
  const facts = readJson(description) as Partial<FailureFacts>;
  const { code, message, remainingMs, load } = facts;
  if (typeof code !== 'string' || typeof message !== 'string')
    throw new FrameError('a failure without a code');
  const refusal = refusalKinds.find((kind) => kind === facts.refusal) ?? null;
  const known = typeof remainingMs === 'number' ? remainingMs : undefined;
  return { code, refusal, message, remainingMs: known, load };
}

function readJson(bytes: Buffer): object {
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
