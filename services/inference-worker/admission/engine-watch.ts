import { EngineService } from '#lib/engine-client/engine-service';
import type { EngineLink } from '../engine-link';

export const usualPauseMs = 2_000;
const timeoutMs = 1_000;

/**
 * Asks the active engine one question of schemas/proto/engine.proto now and then. An engine that doesn't answer is the
 * sentinel's to notice.
 */
export abstract class EngineWatch<Answer> {
  private readonly timer: NodeJS.Timeout;
  private engine: EngineService | null = null;

  constructor(
    private readonly link: EngineLink,
    private readonly question: Parameters<EngineService['ask']>[0],
    pauseMs: number,
  ) {
    this.timer = setInterval(() => this.look(), pauseMs);
    this.timer.unref();
  }

  close(): void {
    clearInterval(this.timer);
    this.engine?.close();
  }

  protected abstract record(answer: Answer): void;
  /** Another engine counts from 0. */
  protected abstract forget(): void;
  /** Whether an engine on such a device has anything to say. */
  protected concerns(_deviceKind: string): boolean {
    return true;
  }

  private look(): void {
    if (!this.concerns(this.link.deviceKind)) return;
    const engine = this.connected();
    engine?.ask<Answer>(this.question, timeoutMs).then(
      (answer) => engine === this.engine && this.record(answer),
      () => undefined,
    );
  }

  /** Another engine has another address. */
  private connected(): EngineService | null {
    const address = this.link.address();
    if (address === (this.engine?.address ?? null)) return this.engine;
    this.engine?.close();
    this.forget();
    this.engine = address === null ? null : new EngineService(address);
    return this.engine;
  }
}
