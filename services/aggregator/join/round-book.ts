import { LatestDeadline } from './latest-deadline';
import type { OpenRound } from './open-round';

/** The open rounds of this instance, by key and by the zone of their run. */
export class RoundBook {
  private readonly rounds = new Map<string, OpenRound>();
  private readonly zones = new Map<string, Set<OpenRound>>();
  /** By partition; undefined for rounds whose partition isn't known. */
  private readonly deadlines = new Map<number | undefined, LatestDeadline>();

  get size(): number {
    return this.rounds.size;
  }
  get(key: string): OpenRound | undefined {
    return this.rounds.get(key);
  }
  all(): OpenRound[] {
    return [...this.rounds.values()];
  }

  /**
   * Of the rounds that may hold back that one's offset, itself included: those of its partition. Where a partition isn't
   * known, it may be any. Unix ms; 0 without rounds.
   */
  latestDeadlineBeside(key: string): number {
    const partition = this.rounds.get(key)?.parts.partition;
    const beside =
      partition === undefined
        ? [...this.deadlines.values()]
        : [this.deadlinesOf(partition), this.deadlinesOf(undefined)];
    return Math.max(0, ...beside.map(({ latest }) => latest));
  }

  add(round: OpenRound): void {
    const before = this.rounds.get(round.key);
    if (before !== undefined) this.remove(before);
    this.rounds.set(round.key, round);
    this.deadlinesOf(round.parts.partition).add(round.round.deadline);
    const peers = this.zones.get(round.zone) ?? new Set();
    this.zones.set(round.zone, peers.add(round));
  }

  /** It stays in its zone until it leaves that. */
  remove(round: OpenRound): void {
    if (this.rounds.get(round.key) !== round) return;
    this.rounds.delete(round.key);
    this.deadlinesOf(round.parts.partition).remove(round.round.deadline);
  }

  /** From here on the round no longer holds back newer ones of its zone. */
  leaveZone(round: OpenRound): void {
    const peers = this.zones.get(round.zone);
    peers?.delete(round);
    if (peers?.size === 0) this.zones.delete(round.zone);
    round.leave();
  }

  /** Does the close of an older round of the zone still have to begin? */
  isHeldBack(round: OpenRound): boolean {
    return this.older(round).some(({ state }) => state === 'entering' || state === 'open');
  }

  /** Older rounds of the zone that are being decided: their claims go first. */
  olderClosing(round: OpenRound): OpenRound[] {
    return this.older(round).filter(({ state }) => state === 'closing');
  }

  /** Newer rounds of the zone, oldest first. */
  newer(round: OpenRound): OpenRound[] {
    return this.peers(round)
      .filter((peer) => peer.round.sequence > round.round.sequence)
      .sort((a, b) => (a.round.sequence < b.round.sequence ? -1 : 1));
  }

  private deadlinesOf(partition: number | undefined): LatestDeadline {
    const known = this.deadlines.get(partition);
    if (known !== undefined) return known;
    const made = new LatestDeadline();
    this.deadlines.set(partition, made);
    return made;
  }

  private older(round: OpenRound): OpenRound[] {
    return this.peers(round).filter((peer) => peer.round.sequence < round.round.sequence);
  }

  private peers(round: OpenRound): OpenRound[] {
    return [...(this.zones.get(round.zone) ?? [])].filter((peer) => peer !== round);
  }
}
