/** Numbers as an operator reads them; a dash where there is none. */
export const none = '–';

export interface Quantity {
  readonly value: string;
  readonly unit: string;
}

const nothing: Quantity = { value: none, unit: '' };
const plain = (digits: number) =>
  new Intl.NumberFormat('en', { maximumFractionDigits: digits, minimumFractionDigits: digits });
const digits = [plain(0), plain(1), plain(2), plain(3)];

/** Three figures, whatever the size. */
function three(value: number): string {
  const size = Math.abs(value);
  const after = size === 0 || size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return digits[after]!.format(value);
}

export function percent(ratio: number | null): Quantity {
  if (ratio === null) return nothing;
  const value = ratio * 100;
  // What isn't all of it is never shown as 100.
  const text =
    value >= 99.995 && ratio < 1 ? '99.99' : value === 100 || value === 0 ? three(value) : twoAtMost(value);
  return { value: text, unit: '%' };
}

function twoAtMost(value: number): string {
  return value >= 99
    ? digits[2]!.format(value)
    : value >= 10
      ? digits[1]!.format(value)
      : digits[2]!.format(value);
}

export function duration(seconds: number | null): Quantity {
  if (seconds === null) return nothing;
  if (seconds === 0) return { value: '0', unit: 'ms' };
  if (seconds < 0.001) return { value: three(seconds * 1e6), unit: 'µs' };
  if (seconds < 1) return { value: three(seconds * 1_000), unit: 'ms' };
  if (seconds < 120) return { value: three(seconds), unit: 's' };
  return seconds < 7_200
    ? { value: three(seconds / 60), unit: 'min' }
    : { value: three(seconds / 3_600), unit: 'h' };
}

export function count(value: number | null): Quantity {
  if (value === null) return nothing;
  if (value >= 1e6) return { value: three(value / 1e6), unit: 'M' };
  return { value: digits[0]!.format(value), unit: '' };
}

export function rate(perSecond: number | null): Quantity {
  if (perSecond === null) return nothing;
  if (perSecond >= 10_000) return { value: three(perSecond / 1_000), unit: 'k/s' };
  return { value: perSecond === 0 ? '0' : three(perSecond), unit: '/s' };
}

export function bytes(value: number | null): Quantity {
  if (value === null) return nothing;
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const power = Math.min(units.length - 1, value < 1 ? 0 : Math.floor(Math.log2(value) / 10));
  return { value: three(value / 1_024 ** power), unit: units[power]! };
}

export function text({ value, unit }: Quantity): string {
  return unit === '' || unit === '%' ? `${value}${unit}` : `${value} ${unit}`;
}

const clockFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const dayFormat = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short', timeZone: 'UTC' });

/** Time of day here. */
export function clock(at: number): string {
  return clockFormat.format(at);
}

export function clockWithMs(at: number): string {
  return `${clock(at)}.${String(Math.floor(at % 1_000)).padStart(3, '0')}`;
}

/** `3 min ago`, or a day for what is older. */
export function ago(at: number, now: number): string {
  const seconds = Math.max(0, (now - at) / 1_000);
  if (seconds < 60) return `${Math.round(seconds)} s ago`;
  if (seconds < 3_600) return `${Math.round(seconds / 60)} min ago`;
  return seconds < 86_400 ? `${Math.round(seconds / 3_600)} h ago` : dayFormat.format(at);
}

/** `1 round`, `2 rounds`. */
export function counted(value: number, one: string): string {
  return `${count(value).value} ${one}${value === 1 ? '' : 's'}`;
}
