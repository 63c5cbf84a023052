import { whySilent } from './why-silent';

const start = 'No connection established. Last error: ';

test.each([
  [
    `${start}Error: 808CA2DE297F0000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/openssl/ssl/record/ssl3_record.c:350:\n. Resolution note: `,
    true,
    'no TLS is spoken there: a worker with certificates asks others on their peer ports',
  ],
  [
    `${start}808CA2DE297F0000:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../deps/openssl/x.c:1601:SSL alert number 116\n (2026-11-30T15:04:29.076Z). Resolution note: `,
    true,
    'it wants another certificate',
  ],
  [`${start}Failed to connect (2026-11-30T15:04:29.063Z). Resolution note: `, false, 'perhaps it wants TLS'],
])('%s', (details, hasTls, expected) => {
  expect(whySilent(details, hasTls)).toContain(expected);
});

test('what was refused, or called with TLS, is told as it is; the same fault has the same words', () => {
  const refused = `${start}Error: connect ECONNREFUSED 127.0.0.1:1. Resolution note: `;
  expect(whySilent(refused, false)).toBe(`${start}Error: connect ECONNREFUSED 127.0.0.1:1`);
  const at = (time: string): string =>
    whySilent(`${start}Failed to connect (${time}). Resolution note: `, true);
  expect(at('2026-11-30T15:04:29.063Z')).toBe(at('2026-11-30T16:05:30.164Z'));
});
