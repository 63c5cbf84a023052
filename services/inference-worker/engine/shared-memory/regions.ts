import { closeSync, constants, fstatSync, openSync, readSync, writeSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import type { RegionReference } from '#lib/engine-client/region-parameters';
import { RoundhouseError } from '#schemas/errors';

export interface RegionSpec {
  readonly name: string;
  /** The name for shm_open, with or without its slash. */
  readonly key: string;
  readonly offset: number;
  readonly byteSize: number;
}

interface Region extends RegionSpec {
  readonly fd: number;
  uses: number;
}

/** A tensor's part of a region while a request uses it. */
export interface RegionUse {
  readonly byteSize: number;
  /** Fills the target from the region. */
  read(target: Uint8Array): void;
  write(source: Uint8Array): void;
  release(): void;
}

const folder = '/dev/shm';
const mostRegions = 1_024;

// No names in these texts: whoever guesses one learns nothing.
function invalid(reason: string): RoundhouseError {
  return new RoundhouseError('PAYLOAD_INVALID', `shared memory: ${reason}`);
}
function unknown(): RoundhouseError {
  return new RoundhouseError('NOT_FOUND', 'shared memory: no such region is registered');
}

function openKey(key: string): number {
  const bare = key.startsWith('/') ? key.slice(1) : key;
  if (!/^[^/\0]{1,255}$/.test(bare) || bare === '.' || bare === '..') throw invalid('the key is no name');
  const { O_RDWR, O_NOFOLLOW, O_NONBLOCK } = constants;
  try {
    return openSync(join(folder, bare), O_RDWR | O_NOFOLLOW | O_NONBLOCK);
  } catch {
    throw invalid('there is no memory of that key that may be used');
  }
}

/** `offset` and `length` lie within `bytes`; written so that nothing overflows. */
function fits(offset: number, length: number, bytes: number): boolean {
  const whole = Number.isSafeInteger(offset) && Number.isSafeInteger(length) && offset >= 0 && length >= 0;
  return whole && offset <= bytes && length <= bytes - offset;
}

function transfer(work: (done: number) => number, length: number): void {
  for (let done = 0; done < length;) {
    const moved = work(done);
    if (moved <= 0) throw invalid('the region has been cut short');
    done += moved;
  }
}

function faultOf(memory: Stats, { offset, byteSize }: RegionSpec): string | null {
  if (memory.isFile() && (memory.mode & 0o077) !== 0)
    return 'the memory is open to other users; its mode must be 0600';
  if (memory.isFile() && byteSize > 0 && fits(offset, byteSize, memory.size)) return null;
  return 'offset and size do not lie within the memory';
}

/**
 * POSIX shared memory that outside clients registered. It is read and written by file calls and never mapped:
 * its owner can cut it short at any time, and a mapping of it would end us with SIGBUS then.
 */
export class SharedMemoryRegions {
  private readonly regions = new Map<string, Region>();

  register(spec: RegionSpec): void {
    if (spec.name === '') throw invalid('a region needs a name');
    if (this.regions.has(spec.name)) throw invalid('a region of that name is registered already');
    if (this.regions.size >= mostRegions) throw invalid(`${mostRegions} regions are registered, the limit`);
    const fd = openKey(spec.key);
    const fault = faultOf(fstatSync(fd), spec);
    if (fault !== null) {
      closeSync(fd);
      throw invalid(fault);
    }
    this.regions.set(spec.name, { ...spec, fd, uses: 0 });
  }

  /** Empty name: all. A region that a request uses is not let go. */
  unregister(name: string): void {
    if (name !== '' && !this.regions.has(name)) throw unknown();
    const leaving = name === '' ? [...this.regions.values()] : [this.regions.get(name)!];
    if (leaving.some(({ uses }) => uses > 0)) {
      throw new RoundhouseError('ENGINE_BUSY', 'shared memory: the region is in use');
    }
    for (const region of leaving) this.forget(region);
  }

  /** Empty name: all. */
  status(name: string): RegionSpec[] {
    if (name !== '' && !this.regions.has(name)) throw unknown();
    const shown = name === '' ? [...this.regions.values()] : [this.regions.get(name)!];
    return shown.map(({ name: own, key, offset, byteSize }) => ({ name: own, key, offset, byteSize }));
  }

  use({ region: name, offset, byteSize }: RegionReference): RegionUse {
    const region = this.regions.get(name);
    if (region === undefined) throw unknown();
    if (!fits(offset, byteSize, region.byteSize))
      throw invalid('offset and size do not lie within the region');
    region.uses += 1;
    const start = region.offset + offset;
    let released = false;
    return {
      byteSize,
      read: (target) =>
        transfer((done) => readSync(region.fd, target, done, byteSize - done, start + done), byteSize),
      write: (source) => this.write(region, source, start, byteSize),
      release: () => {
        if (!released) region.uses -= 1;
        released = true;
      },
    };
  }

  close(): void {
    for (const region of [...this.regions.values()]) this.forget(region);
  }

  private write(region: Region, source: Uint8Array, start: number, room: number): void {
    const length = source.byteLength;
    if (length > room) throw invalid(`an output has ${length} bytes, its place in the region ${room}`);
    // To write behind the end would make the memory grow again.
    if (!fits(start, length, fstatSync(region.fd).size)) throw invalid('the region has been cut short');
    transfer((done) => writeSync(region.fd, source, done, length - done, start + done), length);
  }

  private forget(region: Region): void {
    this.regions.delete(region.name);
    closeSync(region.fd);
  }
}
