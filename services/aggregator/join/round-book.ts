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

  add(round: OpenRound): void {
    this.rounds.set(round.key, round);
    const zone = zoneOf(round);
    const peers = this.zones.get(zone) ?? new Set();
    this.zones.set(zone, peers.add(round));
  }

  remove(round: OpenRound): void {
    if (this.rounds.get(round.key) === round) this.rounds.delete(round.key);
    this.leaveZone(round);
  }

  /** From here on the round no longer holds back newer ones of its zone. */
  leaveZone(round: OpenRound): void {
    const zone = zoneOf(round);
    const peers = this.zones.get(zone);
    peers?.delete(round);
    if (peers?.size === 0) this.zones.delete(zone);
  }

  /** Is an older round of the zone still to be decided? */
  hasOlder(round: OpenRound): boolean {
    return this.peers(round).some((peer) => peer.round.sequence < round.round.sequence);
  }

  /** Newer rounds of the zone, oldest first. */
  newer(round: OpenRound): OpenRound[] {
    return this.peers(round)
      .filter((peer) => peer.round.sequence > round.round.sequence)
      .sort((a, b) => (a.round.sequence < b.round.sequence ? -1 : 1));
  }

  private peers(round: OpenRound): OpenRound[] {
    return [...(this.zones.get(zoneOf(round)) ?? [])].filter((peer) => peer !== round);
  }
}

function zoneOf({ round }: OpenRound): string {
  return [round.tenantId, round.runId, round.zoneId].join('\u001f');
}
