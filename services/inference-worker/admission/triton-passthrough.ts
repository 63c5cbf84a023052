import { EngineService } from '#lib/engine-client/engine-service';
import type { Family } from '#lib/metrics/family';
import type { EngineLink } from '../engine-link';
import { TritonFamilies } from './triton-metrics';

/** A scrape waits so long for an engine, then has its last answer. */
const patienceMs = 40;

interface Asked {
  readonly link: EngineLink;
  readonly id: string;
  service: EngineService | null;
  text: string;
  asking: Promise<void> | null;
}

/** TritonCore's own metrics of the active engines, asked for at every scrape. */
export class TritonPassthrough {
  private readonly engines: Asked[];

  constructor(engines: readonly { readonly id: string; readonly link: EngineLink }[]) {
    this.engines = engines.map(({ id, link }) => ({ id, link, service: null, text: '', asking: null }));
  }

  async families(): Promise<readonly Family[]> {
    await Promise.all(this.engines.map((engine) => this.refresh(engine)));
    const read = new TritonFamilies();
    for (const { text, id } of this.engines) read.add(text, id);
    return read.all();
  }

  close(): void {
    for (const { service } of this.engines) service?.close();
  }

  private async refresh(engine: Asked): Promise<void> {
    const service = this.serviceOf(engine);
    if (service === null) return;
    engine.asking ??= service
      .ask<{ readonly text: string }>('Metrics', 2_000)
      .then(
        ({ text }) => void (service === engine.service && (engine.text = text)),
        () => undefined,
      )
      .finally(() => (engine.asking = null));
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, patienceMs)));
    await Promise.race([engine.asking, late]);
    clearTimeout(timer);
  }

  /** Another engine has another address, and counts from 0; while there is none it has nothing to say. */
  private serviceOf(engine: Asked): EngineService | null {
    const address = engine.link.address();
    if (address === (engine.service?.address ?? null)) return engine.service;
    engine.service?.close();
    engine.text = '';
    engine.service = address === null ? null : new EngineService(address);
    return engine.service;
  }
}
