import type { RegionReference } from '#lib/engine-client/region-parameters';
import { RoundhouseError } from '#schemas/errors';
import { OutputPool } from '#native/triton/output-pool';
import type { RegionUse, SharedMemoryRegions } from './regions';

const keepBytes = 32 * 1_024 * 1_024;
const mostInputBytes = 256 * 1_024 * 1_024;

/** The regions that one request reads and writes, from its decoding until its answer. */
export class RequestRegions {
  private readonly uses: RegionUse[] = [];
  private readonly buffers: Buffer[] = [];
  private readonly outputs = new Map<string, { use: RegionUse; reference: RegionReference }>();

  constructor(
    private readonly regions: SharedMemoryRegions,
    private readonly pool: OutputPool,
  ) {}

  static makePool(): OutputPool {
    return new OutputPool(keepBytes);
  }

  /** A copy that the core may read. */
  input(reference: RegionReference): Buffer {
    const use = this.take(reference);
    if (use.byteSize > mostInputBytes) {
      throw new RoundhouseError(
        'PAYLOAD_INVALID',
        `shared memory: an input has more than ${mostInputBytes} bytes`,
      );
    }
    const buffer = this.pool.take(use.byteSize);
    this.buffers.push(buffer);
    const bytes = buffer.subarray(0, use.byteSize);
    use.read(bytes);
    return bytes;
  }

  expect(name: string, reference: RegionReference): void {
    this.outputs.set(name, { use: this.take(reference), reference });
  }

  /** Puts the output where the request wants it; undefined where it goes into the answer. */
  deliver(name: string, data: Uint8Array): RegionReference | undefined {
    const output = this.outputs.get(name);
    if (output === undefined) return undefined;
    output.use.write(data);
    return { ...output.reference, byteSize: data.byteLength };
  }

  /** `mayReuse`: the core has answered, so it has let go of the inputs. */
  release(mayReuse: boolean): void {
    for (const use of this.uses) use.release();
    if (mayReuse) for (const buffer of this.buffers) this.pool.give(buffer);
  }

  private take(reference: RegionReference): RegionUse {
    const use = this.regions.use(reference);
    this.uses.push(use);
    return use;
  }
}
