import { createHash } from 'node:crypto';
import type { Fault } from '#schemas/errors';
import { readRegularFile } from './regular-file';
import { readTlsFiles, type TlsContents, type TlsFiles } from './tls-files';

/** Of what the files hold; a file that can't be read is a content of its own. */
function digestOf(files: TlsFiles): string {
  const hash = createHash('sha256');
  for (const { path } of Object.values(files) as readonly { readonly path: string }[]) {
    let bytes: Buffer | string = '';
    try {
      if (path !== '') bytes = readRegularFile(path);
    } catch (error) {
      bytes = String((error as NodeJS.ErrnoException).code);
    }
    hash.update(`${bytes.length} `).update(bytes);
  }
  return hash.digest('hex');
}

export type Looked = 'same' | 'changed' | { readonly refused: string };

/**
 * Certificates and keys in force: what the files held when they were last good. Whoever makes a connection asks for
 * them anew; whoever listens is told of a change.
 */
export class FollowedTls {
  private current: TlsContents;
  private inForce: string;
  private seen: string;
  private refused = '';
  private readonly listeners: (() => void)[] = [];

  /** Faults of the first reading are added; there is nothing to follow then. */
  constructor(
    private readonly files: TlsFiles,
    faults: Fault[],
  ) {
    this.inForce = digestOf(files);
    this.seen = this.inForce;
    this.current = readTlsFiles(files, faults);
  }

  get ca(): Buffer | null {
    return this.current.ca;
  }

  get pair(): TlsContents['pair'] {
    return this.current.pair;
  }

  get paths(): string {
    return Object.values(this.files)
      .map(({ path }: { readonly path: string }) => path)
      .filter((path) => path !== '')
      .join(', ');
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /**
   * Takes what has changed, once it was the same at two looks: a certificate and its key are rarely written at once. A
   * refusal is told once; the old ones hold.
   */
  look(): Looked {
    const digest = digestOf(this.files);
    const isSettled = digest === this.seen;
    this.seen = digest;
    if (digest === this.inForce) this.refused = '';
    if (!isSettled || digest === this.inForce || digest === this.refused) return 'same';
    const faults: Fault[] = [];
    const contents = readTlsFiles(this.files, faults);
    if (faults.length > 0) {
      this.refused = digest;
      return { refused: faults.map(({ path, value, limit }) => `${path}=${value}: ${limit}`).join('; ') };
    }
    this.current = contents;
    this.inForce = digest;
    this.refused = '';
    for (const listener of this.listeners) listener();
    return 'changed';
  }
}

const followed = new Set<FollowedTls>();

/** The same for a process that looks at them again (`watchTlsFiles`): all that it has opened. */
export function followTlsFiles(files: TlsFiles, faults: Fault[]): FollowedTls {
  const opened = new FollowedTls(files, faults);
  if (opened.paths !== '') followed.add(opened);
  return opened;
}

export function followedTls(): Iterable<FollowedTls> {
  return followed;
}
