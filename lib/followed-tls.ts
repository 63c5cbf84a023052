import type { Fault } from '#schemas/errors';
import { follow, FollowedFiles } from './followed-files';
import { readTlsFiles, type TlsContents, type TlsFiles } from './tls-files';

/** Certificates and keys in force. */
export class FollowedTls extends FollowedFiles<TlsContents> {
  constructor(files: TlsFiles, faults: Fault[]) {
    const { ca, certificate, key } = files;
    const read = (found: Fault[]): TlsContents => readTlsFiles(files, found);
    super({ kind: 'tls', files: [ca, certificate, key], read }, faults);
  }

  get ca(): Buffer | null {
    return this.value.ca;
  }

  get pair(): TlsContents['pair'] {
    return this.value.pair;
  }
}

export function followTlsFiles(files: TlsFiles, faults: Fault[]): FollowedTls {
  return follow(new FollowedTls(files, faults));
}
