import type { ConnectionOptions } from 'node:tls';
import type { SASLOptions } from 'kafkajs';
import type { Fault } from '#schemas/errors';
import { configError } from '../config-error';
import { connectionTls } from '../connection-tls';
import { onePassword, withPassword } from '../followed-password';
import { followTlsFiles } from '../followed-tls';
import type { KafkaConfig } from './kafka-settings';

/** How every connection to the brokers is made; null: in the clear, as nobody. */
export interface KafkaSecurity {
  readonly tls: ConnectionOptions | null;
  readonly sasl: SASLOptions | null;
}

function tlsOf(config: KafkaConfig, faults: Fault[]): ConnectionOptions | null {
  const files = {
    ca: { key: 'ROUNDHOUSE_KAFKA_TLS_CA', path: config.kafkaTlsCa },
    certificate: { key: 'ROUNDHOUSE_KAFKA_TLS_CERT', path: config.kafkaTlsCertificate },
    key: { key: 'ROUNDHOUSE_KAFKA_TLS_KEY', path: config.kafkaTlsKey },
  };
  const opened = followTlsFiles(files, faults);
  if (!config.kafkaTls) {
    const name = { key: 'ROUNDHOUSE_KAFKA_TLS_NAME', path: config.kafkaTlsName };
    for (const { key, path } of [...Object.values(files), name])
      if (path !== '') faults.push({ path: key, value: path, limit: 'only with ROUNDHOUSE_KAFKA_TLS=true' });
    return null;
  }
  return connectionTls(opened, config.kafkaTlsName);
}

function saslOf(config: KafkaConfig, faults: Fault[]): SASLOptions | null {
  const { kafkaSasl: mechanism, kafkaUser: username, kafkaPassword: given, kafkaPasswordFile: file } = config;
  const password = onePassword('ROUNDHOUSE_KAFKA_PASSWORD', { given, file }, faults);
  if (mechanism === 'none') {
    if (username === '' && password.value === null) return null;
    const limit = 'a mechanism, since there is a user or a password';
    faults.push({ path: 'ROUNDHOUSE_KAFKA_SASL', value: mechanism, limit });
    return null;
  }
  const lacks = (path: string): unknown => faults.push({ path, value: '', limit: `needed for ${mechanism}` });
  if (username === '') lacks('ROUNDHOUSE_KAFKA_USER');
  if (password.value === null && file === '') lacks('ROUNDHOUSE_KAFKA_PASSWORD_FILE');
  if (mechanism === 'plain' && !config.kafkaTls) {
    const limit = 'scram-sha-512 without ROUNDHOUSE_KAFKA_TLS=true: plain would show the password';
    faults.push({ path: 'ROUNDHOUSE_KAFKA_SASL', value: mechanism, limit });
  }
  return withPassword({ mechanism, username }, password) as SASLOptions;
}

/** Throws CONFIG_INVALID, with every fault. */
export function readKafkaSecurity(config: KafkaConfig): KafkaSecurity {
  const faults: Fault[] = [];
  const security = { tls: tlsOf(config, faults), sasl: saslOf(config, faults) };
  if (faults.length > 0) throw configError(faults);
  return security;
}

/** What `connectBus` needs of a process's configuration: `connectBus({ ...kafkaAccess(config), clientId, logger })`. */
export function kafkaAccess(config: KafkaConfig): {
  readonly brokers: readonly string[];
  readonly security: KafkaSecurity;
} {
  return { brokers: config.brokers, security: readKafkaSecurity(config) };
}
