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
/** Of a header without a description. */
export const bareHeaderBytes = at.description;
const none = Buffer.alloc(0);

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
