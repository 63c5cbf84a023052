import { readFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { configError } from '#lib/config';
import type { Fault } from '#schemas/errors';
import { readEntries, type RemoteEntry } from './remote-entry';

const lookEveryMs = 2_000;
const mostBytes = 1_048_576;

type Read = { readonly entries: readonly RemoteEntry[] } | { readonly faults: readonly Fault[] };

function read(path: string, text: string): Read {
  if (text.length > mostBytes)
    return { faults: [{ path, value: '', limit: `at most ${mostBytes} letters` }] };
  try {
    const { entries, faults } = readEntries(JSON.parse(text));
    if (faults.length === 0) return { entries };
    return { faults: faults.map((fault) => ({ ...fault, path: `${path}: ${fault.path}` })) };
  } catch (error) {
    return { faults: [{ path, value: '', limit: `JSON: ${(error as Error).message}` }] };
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const limit = `a file that can be read (${(error as NodeJS.ErrnoException).code ?? 'error'})`;
    throw configError([{ path: 'ROUNDHOUSE_REMOTE_ENGINES', value: path, limit }]);
  }
}

/** Throws CONFIG_INVALID with every fault of the file. */
export function readRemoteFile(path: string, text = textOf(path)): readonly RemoteEntry[] {
  const result = read(path, text);
  if ('faults' in result) throw configError(result.faults);
  return result.entries;
}

export interface RemoteFileOptions {
  readonly path: string;
  readonly onEntries: (entries: readonly RemoteEntry[]) => void;
  /** The last good list goes on. */
  readonly onFault: (reason: string) => void;
  readonly everyMs?: number;
  /** `readFile` of Node, where none is given. */
  readonly readText?: (path: string) => Promise<string>;
}

/** Follows the file: what it says later counts from then on. One look at a time, so that no older text comes after a newer one. */
export class RemoteFile {
  private readonly timer: NodeJS.Timeout;
  private last: string;
  private isLooking = false;
  private isClosed = false;

  /** Throws CONFIG_INVALID for a first reading that fails. */
  constructor(private readonly options: RemoteFileOptions) {
    this.last = textOf(options.path);
    options.onEntries(readRemoteFile(options.path, this.last));
    this.timer = setInterval(() => void this.look(), options.everyMs ?? lookEveryMs);
    this.timer.unref();
  }

  close(): void {
    this.isClosed = true;
    clearInterval(this.timer);
  }

  private async look(): Promise<void> {
    if (this.isLooking) return;
    this.isLooking = true;
    const { path, readText = (file) => readFile(file, 'utf8') } = this.options;
    const text = await readText(path).catch((error: Error) => `\0${error.message}`);
    this.isLooking = false;
    if (!this.isClosed && text !== this.last) this.changed(text);
  }

  private changed(text: string): void {
    const { path, onEntries, onFault } = this.options;
    this.last = text;
    if (text.startsWith('\0')) return onFault(text.slice(1));
    const result = read(path, text);
    if ('entries' in result) return onEntries(result.entries);
    onFault(result.faults.map((fault) => `${fault.path}: ${fault.limit}`).join('; '));
  }
}
