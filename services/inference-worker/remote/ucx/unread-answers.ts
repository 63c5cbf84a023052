import type { InferResponse } from '#lib/engine-client/port';

export interface AnswerData {
  /** Of the outputs, in their slot or copied. */
  readonly data: readonly Uint8Array[];
  readonly bytes: number;
  /** Once, when they have been sent. */
  leave(): void;
}

/**
 * Answers that a peer hasn't read. Up to `mostKeptBytes` stay in the engine's slots until it has; beyond that they are
 * copied, so that a slow peer doesn't take the slots of others.
 */
export class UnreadAnswers {
  private kept = 0;
  private all = 0;

  constructor(private readonly mostKeptBytes: number) {}

  get bytes(): number {
    return this.all;
  }

  enter({ outputs, release }: InferResponse): AnswerData {
    const data = outputs.map((output) => output.data);
    const bytes = data.reduce((sum, { byteLength }) => sum + byteLength, 0);
    this.all += bytes;
    if (release === undefined || this.kept + bytes > this.mostKeptBytes) {
      const own = release === undefined ? data : data.map((output) => Uint8Array.from(output));
      release?.();
      return { data: own, bytes, leave: () => void (this.all -= bytes) };
    }
    this.kept += bytes;
    const leave = (): void => {
      this.all -= bytes;
      this.kept -= bytes;
      release();
    };
    return { data, bytes, leave };
  }
}
