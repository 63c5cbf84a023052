import { Metadata } from '@grpc/grpc-js';
import type { AnswerNotes } from './port';

/** A worker that asks another one says so by this header; its value is the size of the work (PlacedWork). */
export const peerHeader = 'rh-peer-size';

/** What the other one says beside its answer, as JSON: in the headers of an answer, in the trailers of a refusal. */
const notesHeader = 'rh-notes';
const mostNotesLetters = 16_384;

export function peerMetadata(size: number): Metadata {
  const metadata = new Metadata();
  metadata.set(peerHeader, String(size));
  return metadata;
}

/** undefined where the caller is no worker; 1 for a size that is none. */
export function peerSizeOf(metadata: Metadata): number | undefined {
  const text = metadata.get(peerHeader)[0];
  if (typeof text !== 'string') return undefined;
  return /^\d{1,15}(\.\d{1,15})?$/.test(text) ? Math.max(1, Number(text)) : 1;
}

export function setNotes(metadata: Metadata, notes: AnswerNotes): Metadata {
  // Headers are ASCII.
  const json = JSON.stringify(notes).replace(/[^\x20-\x7e]/g, '?');
  if (json.length <= mostNotesLetters) metadata.set(notesHeader, json);
  return metadata;
}

/** As JSON has them; what is none of its kind is left out. */
export function notesIn(notes: object): AnswerNotes {
  const { deviceKind, load, thereMs } = notes as Partial<AnswerNotes>;
  return {
    deviceKind: typeof deviceKind === 'string' ? deviceKind : '',
    load,
    ...(typeof thereMs === 'number' ? { thereMs } : {}),
  };
}

/** undefined where there are none, or none that can be read. */
export function notesOf(metadata: Metadata | undefined): AnswerNotes | undefined {
  const text = metadata?.get(notesHeader)[0];
  if (typeof text !== 'string' || text.length > mostNotesLetters) return undefined;
  try {
    const notes: unknown = JSON.parse(text);
    if (typeof notes !== 'object' || notes === null) return undefined;
    return notesIn(notes);
  } catch {
    return undefined;
  }
}
