import type { OpenRound } from './open-round';

/** The open rounds of this instance, by key and by the zone of their run. */
export class RoundBook {
  private readonly rounds = new Map<string, OpenRound>();
  private readonly zones = new Map<string, Set<OpenRound>>();

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
    let latest = 0;
    for (const { round, parts } of this.rounds.values()) {
      const other = parts.partition ?? partition;
      if (partition === undefined || other === partition) latest = Math.max(latest, round.deadline);
    }
    return latest;
  }

  add(round: OpenRound): void {
    this.rounds.set(round.key, round);
    const peers = this.zones.get(round.zone) ?? new Set();
    this.zones.set(round.zone, peers.add(round));
  }

  /** It stays in its zone until it leaves that. */
  remove(round: OpenRound): void {
    if (this.rounds.get(round.key) === round) this.rounds.delete(round.key);
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

  private older(round: OpenRound): OpenRound[] {
    return this.peers(round).filter((peer) => peer.round.sequence < round.round.sequence);
  }

  private peers(round: OpenRound): OpenRound[] {
    return [...(this.zones.get(round.zone) ?? [])].filter((peer) => peer !== round);
  }
}
