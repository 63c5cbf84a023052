export interface FiredAlerts {
  readonly expected: readonly string[];
  /** In the time of the drill: those that were expected, and others that did not fire before it. */
  readonly fired: readonly string[];
  readonly lacking: readonly string[];
}

/** Prometheus with the rules of ops/, beside a stand. */
export interface AlertWatch {
  /** What fired from the one time to the other (Unix ms); waits for those that are expected and still to come. */
  judge(
    expected: readonly string[],
    from: number,
    to: number,
    already?: readonly string[],
  ): Promise<FiredAlerts>;
  /**
   * Until none of these fires any more, so that a drill isn't taken for another; gives up after a while. Resolves to what
   * fires then.
   */
  calm(names: readonly string[]): Promise<readonly string[]>;
  stop(): Promise<void>;
}
