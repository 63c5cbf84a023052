import { Metadata } from '@grpc/grpc-js';
import { notesOf, peerHeader, peerMetadata, peerSizeOf, setNotes } from './peer-notes';

test('what a worker says beside its answer comes back', () => {
  const notes = { deviceKind: 'cpu', load: { waiting: 3 }, thereMs: 1.5 };
  expect(notesOf(setNotes(new Metadata(), notes))).toEqual(notes);
  expect(notesOf(setNotes(new Metadata(), { deviceKind: 'größer', load: null }))).toEqual({
    deviceKind: 'gr??er',
    load: null,
  });
});

test('too long ones are not sent', () => {
  expect(notesOf(setNotes(new Metadata(), { deviceKind: 'x'.repeat(20_000), load: null }))).toBeUndefined();
});

test.each(['', 'no JSON', '7', 'null', '"text"', `{"load":"${'x'.repeat(20_000)}"}`])(
  'notes that are none: %.20s',
  (text) => {
    const metadata = new Metadata();
    metadata.set('rh-notes', text);
    expect(notesOf(metadata)).toBeUndefined();
  },
);

test('fields of another type are left out', () => {
  const metadata = new Metadata();
  metadata.set('rh-notes', '{"deviceKind":7,"thereMs":"1","load":[]}');
  expect(notesOf(metadata)).toEqual({ deviceKind: '', load: [] });
  expect(notesOf(undefined)).toBeUndefined();
});

test('the size of the work; 1 where it is none', () => {
  expect(peerSizeOf(peerMetadata(500))).toBe(500);
  expect(peerSizeOf(new Metadata())).toBeUndefined();
  for (const bad of ['-3', 'many', '1e9', '9'.repeat(16), '0']) {
    const metadata = new Metadata();
    metadata.set(peerHeader, bad);
    expect(peerSizeOf(metadata)).toBe(1);
  }
});
