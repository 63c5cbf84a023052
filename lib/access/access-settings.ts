import { optionalFileSetting, textSetting, type ConfigOf } from '../settings';

const line = { default: '', pattern: /^[!-~]{0,500}$/, limit: 'at most 500 characters, no spaces' } as const;

/** Whose callers: INGEST's of the producer API, WORKER's of the KServe ports. */
export type AccessOwner = 'INGEST' | 'WORKER';

/** Who may call; without the two files everybody may (docs/security.md). */
export function accessSettingsOf(owner: AccessOwner) {
  const key = (name: string): string => `ROUNDHOUSE_${owner}_${name}`;
  return {
    /** Hashed API keys and quotas. */
    accessFile: optionalFileSetting(key('ACCESS_FILE')),
    /** A JSON web key set; whoever signs with one of its keys is believed. */
    jwtKeys: optionalFileSetting(key('JWT_KEYS')),
    jwtIssuer: textSetting(key('JWT_ISSUER'), line),
    jwtAudience: textSetting(key('JWT_AUDIENCE'), line),
    jwtTenantClaim: textSetting(key('JWT_TENANT_CLAIM'), { ...line, default: 'tenant' }),
  } as const;
}

export type AccessConfig = ConfigOf<ReturnType<typeof accessSettingsOf>>;
