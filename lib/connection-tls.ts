import type { ConnectionOptions } from 'node:tls';
import type { FollowedTls } from './followed-tls';

/**
 * What a client of Kafka or Redis makes each connection with. Both copy it when they connect, so a certificate that was
 * replaced is that of the next connection. `name`: that theirs is for; empty: the host that is called.
 */
export function connectionTls(opened: FollowedTls, name: string): ConnectionOptions {
  const options: ConnectionOptions = { minVersion: 'TLSv1.2', ...(name !== '' && { servername: name }) };
  const live = (key: 'ca' | 'cert' | 'key', get: () => Buffer): void =>
    void Object.defineProperty(options, key, { get, enumerable: true });
  if (opened.ca !== null) live('ca', () => opened.ca!);
  if (opened.pair !== null) {
    live('cert', () => opened.pair!.certificate);
    live('key', () => opened.pair!.key);
  }
  return options;
}
