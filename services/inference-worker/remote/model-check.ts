import { BoundedMap } from '#policy/balancing/bounded-map';
import { RoundhouseError } from '#schemas/errors';

const goodForMs = 10_000;

interface Known {
  readonly hash: Promise<string | null>;
  readonly untilMs: number;
}

/** Whether a remote has the bytes of a model that the work was cut for; asked once in ten seconds. */
export class ModelCheck {
  private readonly known = new BoundedMap<Known>();

  /** null from servers that don't tell it: whoever lists them vouches for their models. */
  constructor(private readonly hashThere: (model: string, version: string) => Promise<string | null>) {}

  /** Rejects with MODEL_UNAVAILABLE for other bytes, or as asking does. */
  async requireSame(model: string, version: string, wanted: string): Promise<void> {
    if (wanted === '') return;
    const there = await this.hashOf(model, version);
    if (there === null || there === wanted) return;
    const words = `${model} ${version} is another one there: ${there.slice(0, 12)}, not ${wanted.slice(0, 12)}`;
    throw new RoundhouseError('MODEL_UNAVAILABLE', words);
  }

  private hashOf(model: string, version: string): Promise<string | null> {
    const key = `${version} ${model}`;
    const last = this.known.get(key);
    if (last !== undefined && performance.now() < last.untilMs) return last.hash;
    const hash = this.hashThere(model, version);
    this.known.set(key, { hash, untilMs: performance.now() + goodForMs });
    // What could not be asked is asked again next time.
    hash.catch(() => this.known.delete(key));
    return hash;
  }
}
