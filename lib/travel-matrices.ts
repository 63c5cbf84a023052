import { join } from 'node:path';
import { decodeTravelMatrix, type TravelMatrix } from '#policy/routing/index';
import { RoundhouseError } from '#schemas/errors';
import { readRegularFile } from './regular-file';

/** One of the largest size (4,096 zones, four vehicles), or many small ones. */
const MAX_BYTES = 256 * 1024 * 1024;

/** Vehicles may share a layer. */
function bytesOf({ secondsByVehicle }: TravelMatrix): number {
  return [...new Set(secondsByVehicle)].reduce((sum, layer) => sum + (layer?.byteLength ?? 0), 0);
}

/** Travel matrices of the model repository by content hash; those used last are kept in memory. */
export class TravelMatrices {
  private readonly recent = new Map<string, TravelMatrix>();

  private bytes = 0;

  constructor(
    private readonly modelsDir: string,
    private readonly maxBytes = MAX_BYTES,
  ) {}

  /** Undefined where there is no such file; TRAVEL_MATRIX_UNKNOWN with the reason where it is broken. */
  find(contentHash: string): TravelMatrix | undefined {
    const kept = this.recent.get(contentHash);
    const matrix = kept ?? this.load(contentHash);
    if (!matrix) return undefined;
    if (!kept) this.bytes += bytesOf(matrix);
    this.recent.delete(contentHash);
    this.recent.set(contentHash, matrix);
    this.dropOldest();
    return matrix;
  }

  /** The last one stays, whatever its size. */
  private dropOldest(): void {
    for (const [hash, matrix] of this.recent) {
      if (this.bytes <= this.maxBytes || this.recent.size === 1) return;
      this.recent.delete(hash);
      this.bytes -= bytesOf(matrix);
    }
  }

  private load(contentHash: string): TravelMatrix | undefined {
    let bytes: Buffer;
    try {
      bytes = readRegularFile(join(this.modelsDir, 'travel', `${contentHash}.bin`), 2 * MAX_BYTES);
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
