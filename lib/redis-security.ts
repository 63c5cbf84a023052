import type { RedisOptions } from 'ioredis';
import type { Fault } from '#schemas/errors';
import { configError, masked } from './config-error';
import { isBeyondLoopback } from './open-to-others';
import type { RedisConfig } from './redis-settings';
import { connectionTls } from './connection-tls';
import { onePassword, withPassword } from './followed-password';
import { followTlsFiles } from './followed-tls';

/** How every connection to Redis is made, beside what its URL says. The password is asked for at each: it may change. */
export type RedisSecurity = Pick<RedisOptions, 'username' | 'password' | 'tls'>;

function tlsOf(config: RedisConfig, isTls: boolean, faults: Fault[]): RedisSecurity {
  const files = {
    ca: { key: 'ROUNDHOUSE_REDIS_TLS_CA', path: config.redisTlsCa },
    certificate: { key: 'ROUNDHOUSE_REDIS_TLS_CERT', path: config.redisTlsCertificate },
    key: { key: 'ROUNDHOUSE_REDIS_TLS_KEY', path: config.redisTlsKey },
  };
  const opened = followTlsFiles(files, faults);
  if (!isTls) {
    const name = { key: 'ROUNDHOUSE_REDIS_TLS_NAME', path: config.redisTlsName };
    for (const { key, path } of [...Object.values(files), name])
      if (path !== '') faults.push({ path: key, value: path, limit: 'only with a REDIS_URL of rediss:' });
    return {};
  }
  return {
    tls: connectionTls(opened, config.redisTlsName),
  };
}

function userOf(config: RedisConfig, url: URL, faults: Fault[]): RedisSecurity {
  const { redisUser: username, redisPassword: given, redisPasswordFile: file } = config;
  const password = onePassword('ROUNDHOUSE_REDIS_PASSWORD', { given, file }, faults);
  if (username === '' && password.value === null) return {};
  if (url.username !== '' || url.password !== '') {
    const limit = 'a URL without user and password, since other settings name them';
    faults.push({ path: 'REDIS_URL', value: masked(config.redisUrl), limit });
  }
  if (password.value === null && file === '')
    faults.push({ path: 'ROUNDHOUSE_REDIS_PASSWORD_FILE', value: '', limit: 'needed for a user' });
  return withPassword(username === '' ? {} : { username }, password);
}

/** Redis has no way to show that one knows a password without sending it. */
function requireHidden(config: RedisConfig, url: URL, password: string | undefined, faults: Fault[]): void {
  const isSent = (password ?? url.password) !== '';
  const isSeen = url.protocol === 'redis:' && isBeyondLoopback(url.hostname);
  if (!isSent || !isSeen || config.redisPasswordInClear) return;
  const limit =
    'rediss: beyond this machine: redis: would show the password (ROUNDHOUSE_REDIS_PASSWORD_IN_CLEAR=true allows it)';
  faults.push({ path: 'REDIS_URL', value: masked(config.redisUrl), limit });
}

/** Throws CONFIG_INVALID, with every fault. */
export function readRedisSecurity(config: RedisConfig): RedisSecurity {
  const faults: Fault[] = [];
  const url = new URL(config.redisUrl);
  const tls = tlsOf(config, url.protocol === 'rediss:', faults);
  // A copy would have the password of now for good.
  const security = Object.assign(userOf(config, url, faults), tls);
  requireHidden(config, url, security.password, faults);
  if (faults.length > 0) throw configError(faults);
  return security;
}

/** What `createRedis` needs of a process's configuration: `createRedis({ ...redisAccess(config), name, logger })`. */
export function redisAccess(config: RedisConfig): { readonly url: string; readonly security: RedisSecurity } {
  return { url: config.redisUrl, security: readRedisSecurity(config) };
}
