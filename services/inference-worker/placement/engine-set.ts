import type { EngineClient } from '#lib/engine-client/port';
import type { UnixMs } from '#schemas/brands';
import type { EngineLink } from '../engine-link';
import type { WantedModels } from '../sentinel/wanted-models';

/** What the rest of the worker sees of its engines: one of them for control and for outside clients, and whether any is up. */
export interface Engines {
  /** Loads and unloads that one of them has carried out; the others follow. */
  readonly models: WantedModels;
  /** Of the first that is up; null while none is. */
  current(): EngineClient | null;
  address(): string | null;
  /** null while one is up. */
  whyDown(): string | null;
  /** null while this worker takes work. */
  whyHandedOver(): string | null;
  onHandOver(listener: (reason: string | null) => void): void;
  waitUntilUp(until: UnixMs): Promise<EngineClient | null>;
  close(): void;
}

export interface NamedLink {
  readonly id: string;
  readonly link: EngineLink;
}

/** Several engines as one. They share their `models`. */
export class EngineSet implements Engines {
  constructor(readonly all: readonly NamedLink[]) {}

  get models(): WantedModels {
    return this.all[0]!.link.models;
  }

  current(): EngineClient | null {
    return this.firstUp()?.current() ?? null;
  }

  address(): string | null {
    return this.firstUp()?.address() ?? null;
  }

  whyDown(): string | null {
    if (this.firstUp() !== undefined) return null;
    return this.reasonOf((link) => link.whyDown());
  }

  whyHandedOver(): string | null {
    if (this.all.some(({ link }) => link.whyHandedOver() === null)) return null;
    return this.reasonOf((link) => link.whyHandedOver());
  }

  onHandOver(listener: (reason: string | null) => void): void {
    let told: string | null = null;
    for (const { link } of this.all) {
      link.onHandOver(() => {
        const reason = this.whyHandedOver();
        if ((reason === null) === (told === null)) return;
        told = reason;
        listener(reason);
      });
    }
  }

  /** Resolves with the first one. */
  waitUntilUp(until: UnixMs): Promise<EngineClient | null> {
    const waits = this.all.map(async ({ link }) => {
      const client = await link.waitUntilUp(until);
      if (client === null) throw new Error(link.whyDown() ?? '');
      return client;
    });
    return Promise.any(waits).catch(() => null);
  }

  close(): void {
    for (const { link } of this.all) link.close();
  }

  /** What is wrong with each that is down, for operators; empty while none is. */
  faults(): string[] {
    return this.all.flatMap(({ id, link }) => {
      const why = link.whyDown();
      return why === null ? [] : [`${id}: ${why}`];
    });
  }

  private firstUp(): EngineLink | undefined {
    return this.all.find(({ link }) => link.current() !== null)?.link;
  }

  private reasonOf(why: (link: EngineLink) => string | null): string | null {
    const [only] = this.all;
    if (this.all.length === 1) return why(only!.link);
    return this.all.map(({ id, link }) => `${id}: ${why(link) ?? ''}`).join('; ');
  }
}
