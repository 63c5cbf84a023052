import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeTravelMatrix, type TravelMatrix } from '#policy/routing/index';
import { RoundhouseError } from '#schemas/errors';

const MAX_IN_MEMORY = 4;

/** Travel matrices of the model repository by content hash, the last few in memory. */
export class TravelMatrices {
  private readonly recent = new Map<string, TravelMatrix>();

  constructor(private readonly modelsDir: string) {}

  /** Undefined where there is no such file; TRAVEL_MATRIX_UNKNOWN with the reason where it is broken. */
  find(contentHash: string): TravelMatrix | undefined {
    const matrix = this.recent.get(contentHash) ?? this.load(contentHash);
    if (!matrix) return undefined;
    this.recent.delete(contentHash);
    this.recent.set(contentHash, matrix);
    for (const oldest of this.recent.keys()) {
      if (this.recent.size <= MAX_IN_MEMORY) break;
      this.recent.delete(oldest);
    }
    return matrix;
  }

  private load(contentHash: string): TravelMatrix | undefined {
    let bytes: Buffer;
    try {
      bytes = readFileSync(join(this.modelsDir, 'travel', `${contentHash}.bin`));
    } catch {
      return undefined;
    }
    try {
      const matrix = decodeTravelMatrix(bytes);
      if (matrix.contentHash === contentHash) return matrix;
      throw new Error(`its content has the hash ${matrix.contentHash}`);
    } catch (error) {
      const reason = `travel matrix ${contentHash}: ${(error as Error).message}`;
      throw new RoundhouseError('TRAVEL_MATRIX_UNKNOWN', reason, [], { cause: error });
    }
  }
}
