import { grpcDetails } from './grpc-details';

test('text that was cut within a surrogate pair can be sent', () => {
  expect(() => encodeURI('a\ud83d')).toThrow(URIError);
  expect(encodeURI(grpcDetails('a\ud83d'))).toBe('a%EF%BF%BD'); // U+FFFD
  expect(grpcDetails('\udc00 a 😀')).toBe('\ufffd a 😀');
});

test('long text is cut by what it takes when encoded', () => {
  // An emoji is 4 bytes of UTF-8, so 12 characters: (4,096 − 9 for the mark) / 12 = 340.6.
  expect(grpcDetails('😀'.repeat(3_000))).toBe(`${'😀'.repeat(340)}…`);
  expect(grpcDetails('a'.repeat(4_096))).toBe('a'.repeat(4_096));
  const cut = grpcDetails('a'.repeat(1_000_000));
  expect(cut).toBe(`${'a'.repeat(4_087)}…`); // 4,087 + 9 = 4,096
});
