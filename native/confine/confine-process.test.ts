import { hasCapabilities } from './confine-process';

const statusOf = (effective: string, permitted = effective): string =>
  `Name:\tnode\nCapInh:\t0000000000000000\nCapPrm:\t${permitted}\nCapEff:\t${effective}\nCapBnd:\t000001ffffffffff\n`;

test.each([
  ['0000000000000000', '0000000000000000', false],
  ['000001ffffffffff', '000001ffffffffff', true],
  ['0000000000000000', '0000000000080000', true], // CAP_SYS_PTRACE may be taken up
  ['a000000000000000', '0000000000000000', true],
])('effective %s, permitted %s: capabilities are left: %s', (effective, permitted, left) => {
  expect(hasCapabilities(statusOf(effective, permitted))).toBe(left);
});
