import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

export interface Issued {
  /** Paths. */
  readonly certificate: string;
  readonly key: string;
}

/** An authority with its files in a folder, and what it certifies. Made by openssl, for two days. */
export class Authority {
  readonly certificate: string;
  private readonly key: string;

  constructor(
    private readonly folder: string,
    name = 'ca',
  ) {
    this.certificate = join(folder, `${name}.pem`);
    this.key = join(folder, `${name}.key`);
    const files = ['-keyout', this.key, '-out', this.certificate];
    openssl('req', '-x509', ...curve, '-days', '2', '-subj', `/CN=${name}`, ...files);
  }

  /** For 127.0.0.1 and localhost, unless said otherwise. */
  issue(name: string, subjects = 'DNS:localhost,IP:127.0.0.1'): Issued {
    const at = (ending: string): string => join(this.folder, `${name}.${ending}`);
    openssl('req', '-new', ...curve, '-subj', `/CN=${name}`, '-keyout', at('key'), '-out', at('csr'));
    writeFileSync(at('ext'), `subjectAltName=${subjects}\n`);
    const by = ['-CA', this.certificate, '-CAkey', this.key, '-CAcreateserial', '-days', '2'];
    openssl('x509', '-req', '-in', at('csr'), ...by, '-extfile', at('ext'), '-out', at('pem'));
    return { certificate: at('pem'), key: at('key') };
  }
}

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}
