/** Times and addresses of memory in the words of the gRPC library: the same fault has the same words without them. */
const varying = [/ \(\d{4}-\d\d-\d\dT[\d:.]+Z\)/g, /\b[0-9A-F]{16}:error:/g, /:\.\.\/deps\/\S+/g];

/** Why a server doesn't answer, for operators; `hasTls`: it was called with a certificate. */
export function whySilent(details: string, hasTls: boolean): string {
  const words = varying
    .reduce((text, pattern) => text.replace(pattern, ''), details)
    .replace(/\.? ?Resolution note: $/, '')
    .trim();
  if (/wrong version number/.test(words))
    return `no TLS is spoken there: a worker with certificates asks others on their peer ports (${words})`;
  if (/alert certificate required|alert bad certificate|alert unknown ca/.test(words))
    return `it wants another certificate (${words})`;
  if (!hasTls && /Failed to connect$/.test(words))
    return `it hangs up: perhaps it wants TLS, and this worker has no ROUNDHOUSE_PEER_TLS_CERT (${words})`;
  return words;
}
