import { createHash } from 'node:crypto';
import type { Fault } from '#schemas/errors';
import { readRegularFile } from './regular-file';
import type { NamedFile } from './tls-files';

/** Of what the files hold; a file that can't be read is a content of its own. */
function digestOf(paths: readonly string[]): string {
  const hash = createHash('sha256');
  for (const path of paths) {
    let bytes: Buffer | string = '';
    try {
      bytes = readRegularFile(path);
    } catch (error) {
      bytes = String((error as NodeJS.ErrnoException).code);
    }
    hash.update(`${bytes.length} `).update(bytes);
  }
  return hash.digest('hex');
}

export type Looked = 'same' | 'changed' | { readonly refused: string };

export interface FollowedFilesOptions<T> {
  readonly kind: 'tls' | 'password';
  /** An empty path names no file. */
  readonly files: readonly NamedFile[];
  read(faults: Fault[]): T;
}

/** In force is what the files held when they were last good. Whoever makes a connection asks for it anew. */
export class FollowedFiles<T> {
  readonly kind: 'tls' | 'password';
  private readonly named: readonly string[];
  private current: T;
  private inForce: string;
  private seen: string;
  private refused = '';
  private readonly listeners: (() => void)[] = [];

  /** Faults of the first reading are added; there is nothing to follow then. */
  constructor(
    private readonly options: FollowedFilesOptions<T>,
    faults: Fault[],
  ) {
    this.kind = options.kind;
    this.named = options.files.map(({ path }) => path).filter((path) => path !== '');
    this.inForce = digestOf(this.named);
    this.seen = this.inForce;
    this.current = options.read(faults);
  }

  get value(): T {
    return this.current;
  }

  get paths(): string {
    return this.named.join(', ');
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /**
   * Takes what has changed, once it was the same at two looks: a certificate and its key are rarely written at once. A
   * refusal is told once; the old ones hold.
   */
  look(): Looked {
    const digest = digestOf(this.named);
    const isSettled = digest === this.seen;
    this.seen = digest;
    if (digest === this.inForce) this.refused = '';
    if (!isSettled || digest === this.inForce || digest === this.refused) return 'same';
    const faults: Fault[] = [];
    const contents = this.options.read(faults);
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

const followed = new Set<FollowedFiles<unknown>>();

/** The same for a process that looks at them again (`watchFiles`). */
export function follow<F extends FollowedFiles<unknown>>(files: F): F {
  if (files.paths !== '') followed.add(files);
  return files;
}

/** All that this process has opened. */
export function followedFiles(): Iterable<FollowedFiles<unknown>> {
  return followed;
}
