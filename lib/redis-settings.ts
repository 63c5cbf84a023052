import {
  optionalFileSetting,
  optionalNameSetting,
  secretSetting,
  urlSetting,
  type ConfigOf,
} from './settings';

/** Where Redis is, and how a connection to it is secured; `rediss:` is TLS (docs/security.md). */
export const redisSettings = {
  redisUrl: urlSetting('REDIS_URL', 'redis://127.0.0.1:6379', ['redis:', 'rediss:']),
  redisUser: optionalNameSetting('ROUNDHOUSE_REDIS_USER'),
  redisPassword: secretSetting('ROUNDHOUSE_REDIS_PASSWORD'),
  redisPasswordFile: optionalFileSetting('ROUNDHOUSE_REDIS_PASSWORD_FILE'),
  /** Empty: the authorities that the system trusts. */
  redisTlsCa: optionalFileSetting('ROUNDHOUSE_REDIS_TLS_CA'),
  /** What we show, where Redis asks for it. */
  redisTlsCertificate: optionalFileSetting('ROUNDHOUSE_REDIS_TLS_CERT'),
  redisTlsKey: optionalFileSetting('ROUNDHOUSE_REDIS_TLS_KEY'),
  /** That its certificate is for, where it isn't the host that it is called by. */
  redisTlsName: optionalNameSetting('ROUNDHOUSE_REDIS_TLS_NAME'),
} as const;

export type RedisConfig = ConfigOf<typeof redisSettings>;
