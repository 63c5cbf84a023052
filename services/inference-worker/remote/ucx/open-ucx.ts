import { lookup } from 'node:dns/promises';
import { resolve } from 'node:path';
import { UcxError } from '#native/ucx/ucx-error';
import { UcxHost, type UcxHostOptions } from '#native/ucx/ucx-host';
import { ucxLibrary } from '#native/ucx/ucx-library';
import { projectPath } from '#schemas/project-root';
import { devicesIn } from './networks';
import { peerSettings, type PeerConfig } from './ucx-settings';

/** Between machines; the supervisor holds no memory of GPUs. */
const usualTransports = '^cuda,sm';

export interface OpenedUcx {
  readonly host: UcxHost | null;
  /** Why there is none. */
  readonly whyNone: string;
}

/** UCX in this process, where networks are listed and the library is there. Never rejects. */
export async function openUcx(
  config: PeerConfig,
  bindHost: string,
  onRequest: UcxHostOptions['onRequest'],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<OpenedUcx> {
  const { ucxNetworks, ucxPort, ucxTransports, ucxDevices, toolchainDir } = config;
  if (ucxNetworks.texts.length === 0) return { host: null, whyNone: 'no networks are listed for UCX' };
  const devices = devicesIn(ucxNetworks).join(',');
  if (ucxDevices === '' && devices === '')
    return { host: null, whyNone: 'no interface lies in the networks of UCX' };
  try {
    const { address } = await lookup(bindHost);
    const host = new UcxHost({
      library: ucxLibrary(resolve(projectPath(), toolchainDir)),
      transports: ucxTransports || (environment['UCX_TLS'] === undefined ? usualTransports : ''),
      devices: ucxDevices || (environment['UCX_NET_DEVICES'] === undefined ? devices : ''),
      listen: { host: address, port: ucxPort },
      ...(onRequest === undefined ? {} : { onRequest }),
    });
    return { host, whyNone: '' };
  } catch (error) {
    return { host: null, whyNone: whyNot(error as Error, ucxPort) };
  }
}

export function whyNot(error: Error, port: number): string {
  const isTaken = error instanceof UcxError && error.code === 'ADDRESS_IN_USE';
  const remedy = `port ${port} is in use; set ${peerSettings.ucxPort.key} to another port`;
  return isTaken ? `${error.message} (${remedy})` : error.message;
}
