import { PhaseTokens } from '../phase-tokens';
import { cpuResource, resources } from '../phases';
import type { Scenario } from './scenario';
import { SharedResource } from './shared-resource';
import type { SimulatedDevice } from './truth';

export interface PhaseResource {
  readonly name: string;
  readonly shared: SharedResource;
  readonly tokens: PhaseTokens;
}

function resourceFor(name: string, capacity: number): PhaseResource {
  return { name, shared: new SharedResource(capacity), tokens: new PhaseTokens(capacity) };
}

const etr = resources.indexOf('etr');
const or = resources.indexOf('or');

/** The worker's processors, and each device's resources with how they slow each other down. */
export class SimulatedResources {
  private readonly ofDevice = new Map<string, PhaseResource[]>();
  private readonly all: PhaseResource[];
  private readonly devices: readonly SimulatedDevice[];
  /** Milliseconds in which ETR and OR of a device were at work together. */
  overlapMs = 0;

  constructor({ cores, devices }: Pick<Scenario, 'cores' | 'devices'>) {
    const cpu = resourceFor('cpu', cores);
    this.devices = devices;
    this.all = [cpu];
    for (const { id } of devices) {
      const own = resources.map((name, at) => (at === cpuResource ? cpu : resourceFor(`${id}/${name}`, 1)));
      this.ofDevice.set(id, own);
      this.all.push(...own.slice(1));
    }
  }

  of(deviceId: string, resource: number): PhaseResource {
    return this.ofDevice.get(deviceId)![resource]!;
  }

  list(): readonly PhaseResource[] {
    return this.all;
  }

  /** The next job of any resource to be done. */
  next(): { readonly id: string; readonly atMs: number } | null {
    let first: { readonly id: string; readonly atMs: number } | null = null;
    for (const { shared } of this.all) {
      const next = shared.next();
      if (next !== null && (first === null || next.atMs < first.atMs)) first = next;
    }
    return first;
  }

  pass(ms: number): void {
    for (const { id } of this.devices) if (this.bothBusy(id)) this.overlapMs += ms;
  }

  interfere(nowMs: number): void {
    for (const { id, interference } of this.devices) {
      const factor = this.bothBusy(id) ? 1 + interference : 1;
      this.of(id, etr).shared.slowDown(factor, nowMs);
      this.of(id, or).shared.slowDown(factor, nowMs);
    }
  }

  private bothBusy(deviceId: string): boolean {
    return this.of(deviceId, etr).shared.isBusy && this.of(deviceId, or).shared.isBusy;
  }
}
