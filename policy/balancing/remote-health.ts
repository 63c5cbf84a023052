import type { RouterSettings } from './settings';

const shareGain = 0.2;
/** Good answers after which an earlier ejection counts no more. */
const forgivenAfter = 32;
const widest = 2 ** 20;

/**
 * Whether a remote gets work, and how much at once. A new one, and one that has failed, is probed before it gets more,
 * then begins with one attempt; each good answer doubles what it may have. Several failures in a row, too many in all,
 * or a probe that fails put it out for a time that doubles each time. One that comes back is out again at its first
 * failure.
 */
export class RemoteHealth {
  private failuresInRow = 0;
  private goodInRow = 0;
  private ejections = 0;
  private out = true;
  private ejected = false;
  private outUntilMs = -Infinity;
  private isProbed = false;
  private share = 0;
  private allowed = 1;
  private halvedMs = -Infinity;

  constructor(private readonly settings: RouterSettings) {}

  get isOut(): boolean {
    return this.out;
  }

  /** Put out, not only to be asked first: what it has is as good as lost. */
  get isEjected(): boolean {
    return this.out && this.ejected;
  }

  /** Times that it was put out, but for those that it has made up for. */
  get timesOut(): number {
    return this.ejections;
  }

  /** Attempts that it may have at once. */
  get window(): number {
    return this.allowed;
  }

  /** Of its last attempts, the latest count most. */
  get failureShare(): number {
    return this.share;
  }

  /** The caller asks it whether it lives, and says so by `probed`. `silentMs`: since it owes an answer and says nothing. */
  probeIsDue(nowMs: number, silentMs = 0): boolean {
    if (this.isProbed) return false;
    return this.out ? nowMs >= this.outUntilMs : silentMs >= this.settings.silentMs;
  }

  get nextProbeMs(): number {
    return this.out && !this.isProbed ? this.outUntilMs : Infinity;
  }

  probeBegins(): void {
    this.isProbed = true;
  }

  probed(isGood: boolean, nowMs: number): void {
    this.isProbed = false;
    if (!isGood) return this.eject(nowMs);
    if (!this.out) return;
    this.out = false;
    this.ejected = false;
    this.allowed = 1;
    if (this.ejections > 0) this.failuresInRow = this.settings.ejectAfter - 1;
  }

  succeeded(): void {
    this.failuresInRow = 0;
    this.share -= shareGain * this.share;
    this.allowed = Math.min(widest, this.allowed * 2);
    this.goodInRow += 1;
    if (this.goodInRow % forgivenAfter === 0) this.ejections = Math.max(0, this.ejections - 1);
  }

  failed(nowMs: number): void {
    this.goodInRow = 0;
    this.failuresInRow += 1;
    this.share += shareGain * (1 - this.share);
    const { ejectAfter, ejectShare } = this.settings;
    if (this.failuresInRow >= ejectAfter || this.share > ejectShare) this.eject(nowMs);
    else this.askFirst(nowMs);
  }

  /** It owes an answer for too long, but it may well be busy: it gets half as much, and is asked first if it is silent. */
  slow(nowMs: number, inFlight: number, isSilent: boolean): void {
    this.goodInRow = 0;
    if (nowMs - this.halvedMs >= this.settings.silentMs) {
      this.allowed = Math.max(1, Math.floor(Math.min(this.allowed, inFlight) / 2));
      this.halvedMs = nowMs;
    }
    if (isSilent) this.askFirst(nowMs);
  }

  /** It has as much as it takes. */
  full(inFlight: number): void {
    this.allowed = Math.max(1, Math.min(this.allowed, inFlight));
  }

  private askFirst(nowMs: number): void {
    if (this.out) return;
    this.out = true;
    this.outUntilMs = nowMs;
  }

  private eject(nowMs: number): void {
    if (this.out && nowMs < this.outUntilMs) return;
    const { ejectMs, ejectLongestMs } = this.settings;
    this.out = true;
    this.ejected = true;
    this.outUntilMs = nowMs + Math.min(ejectLongestMs, ejectMs * 2 ** Math.min(this.ejections, 30));
    this.ejections += 1;
    this.share = this.settings.ejectShare / 2;
  }
}
