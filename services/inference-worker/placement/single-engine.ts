import type { UnixMs } from '#schemas/brands';
import type { EngineLink } from '../engine-link';
import {
  HandedOver,
  isLostWithEngine,
  NoEngineInTime,
  type LoadReport,
  type LocalEngines,
  type PlacedAnswer,
  type PlacedWork,
} from './placement';

/** One engine, which gets everything as it comes. */
export class SingleEngine implements LocalEngines {
  private inFlight = 0;

  constructor(private readonly link: EngineLink) {}

  async infer(work: PlacedWork, until: UnixMs, signal?: AbortSignal): Promise<PlacedAnswer> {
    const { link } = this;
    if (link.whyHandedOver() !== null) throw new HandedOver();
    const client = await link.waitUntilUp(until);
    if (client === null) {
      if (link.whyHandedOver() !== null) throw new HandedOver();
      throw new NoEngineInTime(link.whyDown() ?? 'the engine is down');
    }
    const engine = `${link.deviceKind}#${link.incarnation}`;
    this.inFlight += 1;
    try {
      const response = await client.infer(work.request, until, signal);
      return { response, deviceKind: link.deviceKind, engine };
    } catch (error) {
      if (isLostWithEngine(error)) work.failedOn.add(engine);
      throw error;
    } finally {
      this.inFlight -= 1;
    }
  }

  expectedFinishMs(): number | null {
    return this.link.current() === null ? null : 0;
  }

  whyDown(): string | null {
    return this.link.whyDown();
  }

  whyHandedOver(): string | null {
    return this.link.whyHandedOver();
  }

  load(): LoadReport {
    const { link, inFlight } = this;
    const ready = link.current() !== null;
    const devices = [{ id: 'local', kind: ready ? link.deviceKind : '', ready }];
    return { waiting: 0, inFlight, expectedWaitMs: 0, devices, at: Date.now() as UnixMs };
  }
}
