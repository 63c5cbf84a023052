import { EngineService } from '#lib/engine-client/engine-service';
import type { ModelWork } from './reported-work';

const pauseMs = 250;
const timeoutMs = 5_000;

/** Asks an engine again and again what its models have to do. One that doesn't answer is the probe's to notice. */
export class EngineReports {
  private readonly service: EngineService;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  constructor(
    address: string,
    private readonly onReport: (models: readonly ModelWork[]) => void,
  ) {
    this.service = new EngineService(address);
    void this.ask();
  }

  close(): void {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.service.close();
  }

  private async ask(): Promise<void> {
    const report = await this.service.ask<{ models: ModelWork[] }>('Work', timeoutMs).catch(() => null);
    if (this.closed) return;
    this.timer = setTimeout(() => void this.ask(), pauseMs);
    this.timer.unref();
    if (report !== null) this.onReport(report.models);
  }
}
