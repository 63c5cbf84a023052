import {
  brokersSetting,
  choiceSetting,
  flagSetting,
  optionalFileSetting,
  optionalNameSetting,
  secretSetting,
  type ConfigOf,
} from '../settings';

export const saslMechanisms = ['none', 'scram-sha-256', 'scram-sha-512', 'plain'] as const;

/** Where the brokers are, and how a connection to them is secured (docs/security.md). */
export const kafkaSettings = {
  brokers: brokersSetting('KAFKA_BROKERS', '127.0.0.1:9092'),
  kafkaTls: flagSetting('ROUNDHOUSE_KAFKA_TLS', false),
  /** Empty: the authorities that the system trusts. */
  kafkaTlsCa: optionalFileSetting('ROUNDHOUSE_KAFKA_TLS_CA'),
  /** What we show, where the brokers ask for it. */
  kafkaTlsCertificate: optionalFileSetting('ROUNDHOUSE_KAFKA_TLS_CERT'),
  kafkaTlsKey: optionalFileSetting('ROUNDHOUSE_KAFKA_TLS_KEY'),
  /** That the brokers' certificates are for, where it isn't the host that they are called by. */
  kafkaTlsName: optionalNameSetting('ROUNDHOUSE_KAFKA_TLS_NAME'),
  kafkaSasl: choiceSetting('ROUNDHOUSE_KAFKA_SASL', saslMechanisms, 'none'),
  kafkaUser: optionalNameSetting('ROUNDHOUSE_KAFKA_USER'),
  kafkaPassword: secretSetting('ROUNDHOUSE_KAFKA_PASSWORD'),
  kafkaPasswordFile: optionalFileSetting('ROUNDHOUSE_KAFKA_PASSWORD_FILE'),
} as const;

export type KafkaConfig = ConfigOf<typeof kafkaSettings>;
