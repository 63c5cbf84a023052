import { resolve } from 'node:path';
import { integerSetting, type ConfigOf, type Setting } from '#lib/config';
import { projectRoot } from '#schemas/project-root';
import { isAddress } from './remote-entry';

/** Where the engines of others are learnt of. */
export type RemoteSource =
  { readonly kind: 'none' | 'redis' } | { readonly kind: 'file'; readonly path: string };

const sourceSetting: Setting<RemoteSource> = {
  key: 'ROUNDHOUSE_REMOTE_ENGINES',
  fallback: 'none',
  read(text) {
    if (text === 'none' || text === 'redis') return { value: { kind: text } };
    const path = /^file:([^\0]{1,1000})$/.exec(text)?.[1];
    return path === undefined
      ? { limit: 'none, redis, or file: and a path' }
      : { value: { kind: 'file', path: resolve(projectRoot, path) } };
  },
};

const addressSetting: Setting<string> = {
  key: 'ROUNDHOUSE_ANNOUNCED_ADDRESS',
  fallback: '',
  read: (text) => (text === '' || isAddress(text) ? { value: text } : { limit: 'host:port' }),
};

export const remoteSettings = {
  remoteEngines: sourceSetting,
  /** Where other workers reach this one; empty: ROUNDHOUSE_BIND_HOST and the port. */
  announcedAddress: addressSetting,
  /** Who doesn't announce itself for so long is taken for gone. */
  remoteLeaseMs: integerSetting('ROUNDHOUSE_REMOTE_LEASE_MS', { default: 3_000, min: 300, max: 600_000 }),
} as const;

export type RemoteConfig = ConfigOf<typeof remoteSettings>;
