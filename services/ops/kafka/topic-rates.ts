import type { LagView } from './lag-book';

interface Look {
  readonly at: number;
  readonly ends: ReadonlyMap<string, number>;
  readonly taken: ReadonlyMap<string, number>;
}

const windowMs = 10_000;

/** Messages a second that came to topics, and that groups took, within the last ten seconds. */
export class TopicRates {
  private readonly looks: Look[] = [];

  saw({ topics, groups }: LagView, at: number): void {
    const ends = new Map<string, number>();
    for (const { topic, end } of topics) ends.set(topic, (ends.get(topic) ?? 0) + Number(end));
    const taken = new Map(groups.map((group) => [`${group.groupId}@${group.topic}`, group.taken]));
    // A clock that was set back begins anew.
    if ((this.looks.at(-1)?.at ?? -Infinity) >= at) this.looks.splice(0);
    this.looks.push({ at, ends, taken });
    while (this.looks.length > 2 && this.looks[1]!.at <= at - windowMs) this.looks.shift();
  }

  /** Null before the second look. */
  cameIn(topic: string): number | null {
    return this.rate(({ ends }) => ends.get(topic));
  }

  tookOut(groupId: string, topic: string): number | null {
    return this.rate(({ taken }) => taken.get(`${groupId}@${topic}`));
  }

  private rate(valueOf: (look: Look) => number | undefined): number | null {
    const first = this.looks[0];
    const last = this.looks.at(-1);
    if (first === undefined || last === undefined || last.at <= first.at) return null;
    const [from, to] = [valueOf(first), valueOf(last)];
    if (from === undefined || to === undefined || to < from) return null;
    return (1_000 * (to - from)) / (last.at - first.at);
  }
}
