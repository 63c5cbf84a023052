import { readRegularFile } from './regular-file';

export interface FollowedFileOptions<T> {
  readonly path: string;
  /** Throws for a text that can't be used. */
  read(text: string): T;
  onChange(value: T): void;
  /** The old value holds. Told once for each text or fault. */
  onRefused(reason: string): void;
  readonly everyMs?: number;
}

/**
 * What a small file says, read again every two seconds: it may be written over, replaced or be a link that moves
 * (as mounted secrets do), without a restart. The first reading throws where there is nothing to use.
 */
export class FollowedFile<T> {
  /** In force. */
  private text: string;
  private refusedText: string | null = null;
  private refused = '';
  private current: T;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: FollowedFileOptions<T>) {
    this.text = readRegularFile(options.path).toString('utf8');
    this.current = options.read(this.text);
    this.timer = setInterval(() => this.look(), options.everyMs ?? 2_000);
    this.timer.unref();
  }

  /** Why the last change was not taken; null where it was. */
  get refusal(): string | null {
    return this.refused === '' ? null : this.refused;
  }

  get value(): T {
    return this.current;
  }

  close(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    let text: string | null = null;
    try {
      text = readRegularFile(this.options.path).toString('utf8');
      if (text === this.refusedText) return;
      if (text !== this.text) this.take(text);
      this.refusedText = null;
      this.refused = '';
    } catch (error) {
      this.refusedText = text;
      const reason = (error as Error).message;
      if (reason !== this.refused) this.options.onRefused(reason);
      this.refused = reason;
    }
  }

  private take(text: string): void {
    this.current = this.options.read(text);
    this.text = text;
    this.options.onChange(this.current);
  }
}
