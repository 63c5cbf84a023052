/** From then on, until it is over. `dead`: refuses; `hung`: says nothing; `slow`: takes `factor` times as long; `failing`: fails at once. */
export interface Fault {
  readonly engine: number;
  readonly kind: 'dead' | 'hung' | 'slow' | 'failing';
  readonly fromMs: number;
  readonly untilMs: number;
  readonly factor: number;
}

export interface SimulatedEngine {
  readonly name: string;
  /** Units of work a millisecond, over that of the reference. */
  readonly speed: number;
  /** Shards that it works on side by side. */
  readonly lanes: number;
}

export interface SimulatedShard {
  readonly id: number;
  /** Which worker took it. */
  readonly worker: number;
  readonly model: string;
  readonly size: number;
  readonly bytes: number;
  readonly arrivesMs: number;
  readonly deadlineMs: number;
  /** On an engine of speed 1, before noise. */
  readonly serviceMs: number;
}

export interface Network {
  /** Each way, and a byte. */
  readonly oneWayMs: number;
  readonly bytesPerMs: number;
}

/** Everything that happens to routers but their own decisions. The first engines are the workers' own, one each. */
export interface Scenario {
  readonly seed: number;
  readonly engines: readonly SimulatedEngine[];
  readonly workers: number;
  /** By arrival. */
  readonly shards: readonly SimulatedShard[];
  readonly faults: readonly Fault[];
  readonly network: Network;
  /** Reports are made this often, so they are up to this much older than the answer that carries them. */
  readonly reportEveryMs: number;
  /** Standard deviation of the logarithm of a shard's time. */
  readonly spread: number;
  /** Engines that nobody is told of. */
  readonly hidden: ReadonlySet<number>;
}
