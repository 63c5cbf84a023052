export interface RouterSettings {
  /** Done here within this: remotes are not even looked at. */
  readonly localAtOnceMs: number;
  /** A remote has to be done earlier than here by this share of its own time and these milliseconds. */
  readonly advantageShare: number;
  readonly advantageMs: number;
  /** Before anything was seen. */
  readonly priorMsPerUnit: number;
  readonly priorTransferMs: number;
  /** An attempt is overdue after so many times what it was expected to take, but not before and not after these. */
  readonly overdueFactor: number;
  readonly overdueLeastMs: number;
  readonly overdueMostMs: number;
  /** One that has work and says nothing for so long is asked whether it lives. */
  readonly silentMs: number;
  /** Failures in a row, or this share of the last attempts, after which a remote is out. */
  readonly ejectAfter: number;
  readonly ejectShare: number;
  readonly ejectMs: number;
  readonly ejectLongestMs: number;
  /** Added to what a remote is expected to take, for each certain failure. */
  readonly failurePenaltyMs: number;
  /** A full remote is left alone so long; one without a model isn't asked for it so long. */
  readonly busyMs: number;
  readonly withoutModelMs: number;
  /** What a load report says fades towards the remote's own mean, by 1/e in this time. */
  readonly reportFadesMs: number;
  /** Retries, as a share of the attempts, those each second besides, and how many may come at once. */
  readonly retryShare: number;
  readonly retriesPerSecond: number;
  readonly retryReserve: number;
}

export const defaultRouterSettings: RouterSettings = {
  localAtOnceMs: 2,
  advantageShare: 0.1,
  advantageMs: 1,
  priorMsPerUnit: 0.05,
  priorTransferMs: 1,
  overdueFactor: 4,
  overdueLeastMs: 100,
  overdueMostMs: 400,
  silentMs: 250,
  ejectAfter: 2,
  ejectShare: 0.5,
  ejectMs: 500,
  ejectLongestMs: 30_000,
  failurePenaltyMs: 50,
  busyMs: 20,
  withoutModelMs: 5_000,
  reportFadesMs: 300,
  retryShare: 0.2,
  retriesPerSecond: 10,
  retryReserve: 20,
};
