const loneSurrogates = /\p{Surrogate}/gu;
const wellFormed = (text: string) => text.replace(loneSurrogates, '\ufffd');

/** Untrusted text for a message: at most `max` UTF-16 units, with a mark where it was cut, and well-formed. */
export function shownText(text: string, max: number): string {
  if (text.length <= max) return wellFormed(text);
  const wholePairs = text.slice(0, max).replace(/[\ud800-\udbff]$/, '');
  return `${wellFormed(wholePairs)}…`;
}
