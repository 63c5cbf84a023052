import { shownText } from '#schemas/shown-text';

/** Beside the metadata of an error of ours, below the 16 KiB that other gRPC libraries take. */
const MAX_ENCODED_BYTES = 4_096;

/**
 * Text as the details of a gRPC status. grpc-js percent-encodes it as it sends it, which throws on a lone
 * surrogate, and peers refuse long headers: the text is made well-formed and cut by its encoded length.
 */
export function grpcDetails(text: string): string {
  const wellFormed = shownText(text, MAX_ENCODED_BYTES);
  if (encodeURI(wellFormed).length <= MAX_ENCODED_BYTES) return wellFormed;
  let bytes = encodeURI('…').length;
  let kept = 0;
  for (const character of wellFormed) {
    bytes += encodeURI(character).length;
    if (bytes > MAX_ENCODED_BYTES) break;
    kept += character.length;
  }
  return `${wellFormed.slice(0, kept)}…`;
}
