import { optionalFileSetting, textSetting, type ConfigOf } from '#lib/settings';

const line = { default: '', pattern: /^[!-~]{0,500}$/, limit: 'at most 500 characters, no spaces' } as const;

/** Who may call the producer API; without the two files everybody may (docs/security.md). */
export const accessSettings = {
  /** Hashed API keys and quotas. */
  accessFile: optionalFileSetting('ROUNDHOUSE_INGEST_ACCESS_FILE'),
  /** A JSON web key set; whoever signs with one of its keys is believed. */
  jwtKeys: optionalFileSetting('ROUNDHOUSE_INGEST_JWT_KEYS'),
  jwtIssuer: textSetting('ROUNDHOUSE_INGEST_JWT_ISSUER', line),
  jwtAudience: textSetting('ROUNDHOUSE_INGEST_JWT_AUDIENCE', line),
  jwtTenantClaim: textSetting('ROUNDHOUSE_INGEST_JWT_TENANT_CLAIM', { ...line, default: 'tenant' }),
} as const;

export type AccessConfig = ConfigOf<typeof accessSettings>;
