import type { Env } from './config';

/** Where Kafka, Redis and collectors are and how one gets in, keys of certificates, and who may call. */
const ours =
  /^(KAFKA_|REDIS_|OTEL_|ROUNDHOUSE_(KAFKA|REDIS|TLS|PEER_TLS|CLIENT|INGEST|AUDIT|WORKER_ACCESS|WORKER_JWT)_)/;
const secretName = /(PASSW|PASSPHRASE|SECRET|TOKEN|CREDENTIAL|API_?KEY|ACCESS_KEY|PRIVATE_KEY|AUTH|COOKIE)/i;
/** A proxy, a data base: `scheme://user:password@host`. */
const withPassword = /[a-z][a-z0-9+.-]*:\/\/[^/\s@]*:[^/\s@]*@/i;

/** What a child may know that computes and talks to us alone. */
export function withoutSecrets(env: Env): Env {
  const isKept = ([name, value = '']: [string, string | undefined]): boolean =>
    !ours.test(name) && !secretName.test(name) && !withPassword.test(value);
  return Object.fromEntries(Object.entries(env).filter(isKept));
}
