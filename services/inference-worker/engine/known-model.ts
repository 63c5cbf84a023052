import type { LoadFault } from './load-fault';

/** A version as it was when it was loaded. */
export interface ServedVersion {
  readonly signature: string;
  readonly contentHash: string;
}

/** What is known of a model that was asked for once. */
export class KnownModel {
  served: ReadonlyMap<string, ServedVersion> = new Map<string, ServedVersion>();
  /** Versions that don't serve, and why. */
  readonly broken = new Map<string, LoadFault>();
  /** Of its configuration, or of all of it. */
  fault: LoadFault | null = null;

  get faults(): LoadFault[] {
    return [...(this.fault === null ? [] : [this.fault]), ...this.broken.values()];
  }
}
