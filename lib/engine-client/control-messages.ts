import type { ModelState } from './port';
import { stringBytes, WireReader, WireType, WireWriter } from './wire';

/** The small messages of the protocol, so that a client needs no schema at run time. */
export const empty = Buffer.alloc(0);

function encodeStrings(fields: readonly (readonly [number, string])[]): Buffer {
  const writer = new WireWriter(fields.reduce((sum, [, text]) => sum + stringBytes(text), 0));
  for (const [number, text] of fields) writer.string(number, text);
  return writer.buffer;
}

export function encodeModelName(name: string, version: string): Buffer {
  return encodeStrings([
    [1, name],
    [2, version],
  ]);
}

/** RepositoryModelLoadRequest and RepositoryModelUnloadRequest. */
export function encodeRepositoryModel(name: string): Buffer {
  return encodeStrings([[2, name]]);
}

/** The model's name in a RepositoryModelLoadRequest or RepositoryModelUnloadRequest. */
export function decodeRepositoryModel(bytes: Buffer): string {
  const reader = new WireReader(bytes);
  let name = '';
  while (!reader.atEnd) {
    const { field, type } = reader.tag();
    if (field === 2 && type === WireType.bytes) name = reader.string();
    else reader.skip(type);
  }
  return name;
}

/** Field 1 of ServerLiveResponse, ServerReadyResponse and ModelReadyResponse. */
export function decodeBool(bytes: Buffer): boolean {
  const reader = new WireReader(bytes);
  let value = false;
  while (!reader.atEnd) {
    const { field, type } = reader.tag();
    if (field === 1 && type === WireType.varint) value = reader.unsigned() !== 0;
    else reader.skip(type);
  }
  return value;
}

function decodeModelState(bytes: Buffer): ModelState {
  const texts = ['', '', '', '', ''];
  const reader = new WireReader(bytes);
  while (!reader.atEnd) {
    const { field, type } = reader.tag();
    if (field < texts.length && type === WireType.bytes) texts[field] = reader.string();
    else reader.skip(type);
  }
  const [, name = '', version = '', state = '', reason = ''] = texts;
  return { name, version, state, reason };
}

/** RepositoryIndexResponse. */
export function decodeIndex(bytes: Buffer): ModelState[] {
  const models: ModelState[] = [];
  const reader = new WireReader(bytes);
  while (!reader.atEnd) {
    const { field, type } = reader.tag();
    if (field === 1 && type === WireType.bytes) models.push(decodeModelState(reader.bytes()));
    else reader.skip(type);
  }
  return models;
}
