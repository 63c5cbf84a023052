import type { Env } from './config';

/** Where Kafka and Redis are and how one gets in, keys of certificates, and who may call: an engine needs none of it. */
const kept = /^(KAFKA_|REDIS_|ROUNDHOUSE_(KAFKA|REDIS|TLS|PEER_TLS|CLIENT_TLS|INGEST|AUDIT)_)/;
const secret = /(PASSWORD|SECRET|TOKEN|CREDENTIAL|API_KEY|PRIVATE_KEY)/i;

/** What a child may know that computes and talks to us alone. */
export function withoutSecrets(env: Env): Env {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !kept.test(name) && !secret.test(name)));
}
