import { shownText } from '#schemas/shown-text';
import { parseExactJson, type Json, type JsonObject } from './exact-json';
import { HttpFault, invalid } from './http-fault';
import { objectOf } from './json-fields';

/** More JSON than this would hold the event loop for too long; tensors may follow it as bytes. */
export const mostJsonBytes = 4 * 1024 * 1024;

export const headerLength = 'inference-header-content-length';

/** A request's JSON and the tensors behind it, taken one after the other. */
export interface InferBody {
  readonly json: JsonObject;
  readonly tail: BinaryTail;
}

/** The bytes after the JSON, of inputs with `binary_data_size`, in their order. */
export class BinaryTail {
  private at = 0;

  constructor(private readonly bytes: Buffer) {}

  take(size: number, where: string): Buffer {
    const left = this.bytes.length - this.at;
    if (size > left) throw invalid(`${where}: ${size}, but ${left} bytes are left after the JSON`);
    this.at += size;
    return this.bytes.subarray(this.at - size, this.at);
  }

  checkAllTaken(): void {
    const left = this.bytes.length - this.at;
    if (left > 0) throw invalid(`${left} bytes after the JSON belong to no input's binary_data_size`);
  }
}

function jsonBytes(header: string | string[] | undefined, body: Buffer): number {
  if (header === undefined) return body.length;
  const text = String(header);
  const length = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
  if (Number.isNaN(length)) throw invalid(`${headerLength}: "${shownText(text, 40)}" is no length`);
  if (length === 0) throw invalid(`${headerLength}: 0; requests without JSON are not read`);
  if (length > body.length)
    throw invalid(`${headerLength}: ${length}, but the body has ${body.length} bytes`);
  return length;
}

export function splitInferBody(header: string | string[] | undefined, body: Buffer): InferBody {
  const length = jsonBytes(header, body);
  return { json: jsonObjectOf(body.subarray(0, length)), tail: new BinaryTail(body.subarray(length)) };
}

/** An empty body is an empty object. */
export function jsonObjectOf(bytes: Buffer): JsonObject {
  if (bytes.length === 0) return new Map<string, Json>();
  if (bytes.length > mostJsonBytes) {
    throw new HttpFault(
      413,
      `${bytes.length} bytes of JSON, the limit is ${mostJsonBytes}: send tensors binary`,
    );
  }
  return objectOf(parseExactJson(bytes), 'the body');
}
