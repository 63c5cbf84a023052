import { credentials, type ChannelCredentials, type ChannelOptions } from '@grpc/grpc-js';
import type { Fault } from '#schemas/errors';
import { configError } from './config-error';
import { isBeyondLoopback } from './open-to-others';
import type { Secret } from './secret';
import { oneSecret } from './secret-file';
import { optionalFileSetting, optionalNameSetting, secretSetting, type ConfigOf } from './settings';
import { readTlsFiles } from './tls-files';

/** How a command of an operator reaches ports of ours that speak TLS. */
export const clientTlsSettings = {
  clientTlsCa: optionalFileSetting('ROUNDHOUSE_CLIENT_TLS_CA'),
  clientTlsCertificate: optionalFileSetting('ROUNDHOUSE_CLIENT_TLS_CERT'),
  clientTlsKey: optionalFileSetting('ROUNDHOUSE_CLIENT_TLS_KEY'),
  clientTlsName: optionalNameSetting('ROUNDHOUSE_CLIENT_TLS_NAME'),
  /** An API key or a token, where they ask for one. */
  clientCredential: secretSetting('ROUNDHOUSE_CLIENT_CREDENTIAL'),
  clientCredentialFile: optionalFileSetting('ROUNDHOUSE_CLIENT_CREDENTIAL_FILE'),
} as const;

export interface GrpcChannel {
  readonly credentials: ChannelCredentials;
  readonly options: ChannelOptions;
  /** Sent with each call. */
  readonly credential?: Secret | null;
}

/** In the clear, where everybody on the way reads it, a credential goes to this machine alone. */
function requireHidden(urls: readonly string[], faults: Fault[]): void {
  for (const url of urls) {
    if (!isBeyondLoopback(url.replace(/:\d+$/, ''))) continue;
    const limit = `an authority, since ${url} is beyond this machine and would be sent the credential in the clear`;
    faults.push({ path: 'ROUNDHOUSE_CLIENT_TLS_CA', value: '', limit });
  }
}

/** To `urls`; in the clear where no authority is named. Throws CONFIG_INVALID, with every fault. */
export function clientChannel(
  config: ConfigOf<typeof clientTlsSettings>,
  urls: readonly string[],
): GrpcChannel {
  const faults: Fault[] = [];
  const { ca, pair } = readTlsFiles(
    {
      ca: { key: 'ROUNDHOUSE_CLIENT_TLS_CA', path: config.clientTlsCa },
      certificate: { key: 'ROUNDHOUSE_CLIENT_TLS_CERT', path: config.clientTlsCertificate },
      key: { key: 'ROUNDHOUSE_CLIENT_TLS_KEY', path: config.clientTlsKey },
    },
    faults,
  );
  const isMeant = pair !== null || config.clientTlsName !== '';
  if (faults.length === 0 && ca === null && isMeant) {
    const limit = 'the authority of whom we call, since there is a certificate to show or a name to check';
    faults.push({ path: 'ROUNDHOUSE_CLIENT_TLS_CA', value: '', limit });
  }
  const { clientCredential: given, clientCredentialFile: file } = config;
  const credential = oneSecret('ROUNDHOUSE_CLIENT_CREDENTIAL', { given, file }, faults);
  if (ca === null && credential !== null) requireHidden(urls, faults);
  if (faults.length > 0) throw configError(faults);
  if (ca === null) return { credentials: credentials.createInsecure(), options: {}, credential };
  const name = config.clientTlsName;
  const named = name === '' ? {} : { 'grpc.ssl_target_name_override': name, 'grpc.default_authority': name };
  return {
    credentials: credentials.createSsl(ca, pair?.key ?? null, pair?.certificate ?? null),
    options: named,
    credential,
  };
}
