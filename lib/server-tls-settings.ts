import { optionalFileSetting, type ConfigOf } from './settings';

/** Apart from what reads them: whoever loads the configuration need not load gRPC. */
export const serverTlsSettings = {
  tlsCertificate: optionalFileSetting('ROUNDHOUSE_TLS_CERT'),
  tlsKey: optionalFileSetting('ROUNDHOUSE_TLS_KEY'),
  tlsClientCa: optionalFileSetting('ROUNDHOUSE_TLS_CLIENT_CA'),
} as const;

export type ServerTlsConfig = ConfigOf<typeof serverTlsSettings>;
