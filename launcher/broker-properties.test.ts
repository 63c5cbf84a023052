import { propertiesText } from './broker-properties';

test('values that Java would read as something else are escaped', () => {
  // A file of properties is Latin-1: ü is 00fc, ś 015b, and a character beyond 16 bits two units.
  expect(propertiesText({ 'log.dirs': '/tmp/Große ścieżka 😀' })).toBe(
    'log.dirs=/tmp/Gro\\u00dfe \\u015bcie\\u017cka \\ud83d\\ude00\n',
  );
  expect(propertiesText({ a: ' C:\\x', b: 'tab\tand\nline', c: 5, d: false })).toBe(
    'a=\\u0020C:\\u005cx\nb=tab\\u0009and\\u000aline\nc=5\nd=false\n',
  );
});
