import {
  flagSetting,
  optionalFileSetting,
  optionalNameSetting,
  secretSetting,
  urlSetting,
  type ConfigOf,
} from './settings';

const anyUrl = urlSetting('REDIS_URL', 'redis://127.0.0.1:6379', ['redis:', 'rediss:']);

/**
 * What the client would only find out from Redis, or never, is refused at once: no host, a database that is no number. A
 * query may set any option of the client's, passwords too: of them only `family` is taken.
 */
const redisUrlSetting: typeof anyUrl = {
  ...anyUrl,
  read(text) {
    const result = anyUrl.read(text);
    if ('limit' in result) return result;
    const { hostname, port, pathname, searchParams } = new URL(text);
    const isKnown = [...searchParams.keys()].every((name) => name === 'family');
    const isGood = hostname !== '' && port !== '0' && isKnown && /^(\/\d{0,5})?$/.test(pathname);
    return isGood ? result : { limit: 'a URL like redis://host:6379 or rediss://host:6379/0' };
  },
};

/** Where Redis is, and how a connection to it is secured; `rediss:` is TLS (docs/security.md). */
export const redisSettings = {
  redisUrl: redisUrlSetting,
  redisUser: optionalNameSetting('ROUNDHOUSE_REDIS_USER'),
  redisPassword: secretSetting('ROUNDHOUSE_REDIS_PASSWORD'),
  redisPasswordFile: optionalFileSetting('ROUNDHOUSE_REDIS_PASSWORD_FILE'),
  /** Over a network that nobody else is in, or one that encrypts by itself. */
  redisPasswordInClear: flagSetting('ROUNDHOUSE_REDIS_PASSWORD_IN_CLEAR', false),
  /** Empty: the authorities that the system trusts. */
  redisTlsCa: optionalFileSetting('ROUNDHOUSE_REDIS_TLS_CA'),
  /** What we show, where Redis asks for it. */
  redisTlsCertificate: optionalFileSetting('ROUNDHOUSE_REDIS_TLS_CERT'),
  redisTlsKey: optionalFileSetting('ROUNDHOUSE_REDIS_TLS_KEY'),
  /** That its certificate is for, where it isn't the host that it is called by. */
  redisTlsName: optionalNameSetting('ROUNDHOUSE_REDIS_TLS_NAME'),
} as const;

export type RedisConfig = ConfigOf<typeof redisSettings>;
