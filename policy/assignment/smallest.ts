/** Places below this are found with a short sorted list. */
const SHORT = 16;
/** Of more values, those that are surely too large are left out first. */
const MANY = 4_096;
const SAMPLE = 1_024;

/** The value at `place` were those from `from` to `to` sorted; `place` counts from 0. May change their order. */
export function smallest(values: Float64Array, from: number, to: number, place: number): number {
  if (place < SHORT) return byShortList(values, from, to, place);
  if (to - from < MANY) return bySelection(values, from, to, place);
  const low = lowValues(values, from, to, place);
  return low.length > place ? bySelection(low, 0, low.length, place) : bySelection(values, from, to, place);
}

const shortList = new Float64Array(SHORT);

function byShortList(values: Float64Array, from: number, to: number, place: number): number {
  shortList.fill(Infinity, 0, place + 1);
  for (let next = from; next < to; next++) {
    const value = values[next]!;
    if (value >= shortList[place]!) continue;
    let at = place;
    for (; at > 0 && shortList[at - 1]! > value; at--) shortList[at] = shortList[at - 1]!;
    shortList[at] = value;
  }
  return shortList[place]!;
}

/** Values up to one that a sample says is a little above the one looked for. */
function lowValues(values: Float64Array, from: number, to: number, place: number): Float64Array {
  const stride = Math.floor((to - from) / SAMPLE);
  const sample = Float64Array.from({ length: SAMPLE }, (_, i) => values[from + i * stride]!).sort();
  const share = (place + 1) / (to - from);
  const limit = sample[Math.min(SAMPLE - 1, Math.ceil(SAMPLE * share * 1.25) + 8)]!;
  const low = new Float64Array(to - from);
  let count = 0;
  for (let at = from; at < to; at++) if (values[at]! <= limit) low[count++] = values[at]!;
  return low.subarray(0, count);
}

/** Hoare's selection. */
function bySelection(values: Float64Array, from: number, to: number, place: number): number {
  const wanted = from + place;
  let low = from;
  let high = to - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i]! < pivot) i++;
      while (values[j]! > pivot) j--;
      if (i > j) break;
      const held = values[i]!;
      values[i++] = values[j]!;
      values[j--] = held;
    }
    if (wanted <= j) high = j;
    else if (wanted >= i) low = i;
    else break;
  }
  return values[wanted]!;
}
