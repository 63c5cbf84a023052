import { setTimeout as sleep } from 'node:timers/promises';
import type { Episode, Standing } from '#policy/operations/episodes';
import type { Line } from '#policy/operations/signals';
import { judgeConsole, type ConsoleFinding, type Named, type NamedCause } from './judge-console';

const everyMs = 250;
/** So long behind a drill the console may still come to its cause. */
const patienceMs = 8_000;

interface Answer {
  readonly problems: readonly Standing[];
  readonly recent: readonly Episode[];
}

/** Looks at what a console shows, as somebody would who has only that: its lines, causes apart from consequences. */
export class ConsoleWatch {
  private readonly named = new Map<string, Named>();
  private readonly watching: Promise<void>;
  private readonly viewing = new AbortController();
  private isOver = false;

  constructor(
    private readonly url: string,
    private readonly from = Date.now(),
  ) {
    this.watching = this.watch();
  }

  /** A console that is open is looked through more often. */
  private async view(): Promise<void> {
    const { signal } = this.viewing;
    while (!signal.aborted) {
      try {
        const response = await fetch(`${this.url}/api/live`, { signal });
        for await (const _ of response.body ?? []) void _;
      } catch {
        await sleep(everyMs);
      }
    }
  }

  private async watch(): Promise<void> {
    void this.view();
    while (!this.isOver) {
      const answer = await this.ask();
      if (answer !== null) this.saw(answer);
      await sleep(everyMs);
    }
  }

  private async ask(): Promise<Answer | null> {
    try {
      const response = await fetch(`${this.url}/api/problems`, { signal: AbortSignal.timeout(2_000) });
      return response.ok ? ((await response.json()) as Answer) : null;
    } catch {
      return null;
    }
  }

  private saw({ problems, recent }: Answer): void {
    const isOfNow = ({ endedAt }: Episode): boolean => endedAt === null || endedAt >= this.from;
    const lasting = problems.filter(isOfNow);
    for (const episode of [...lasting, ...recent.filter(isOfNow).reverse()])
      this.add(episode.key, episode, lasting[0]?.key === episode.key);
    for (const { key, now } of problems) for (const line of now) this.add(key, line, false);
  }

  private add(key: number, { level, where, words, runbook }: Line, isFirst: boolean): void {
    const known = this.named.get(`${key} ${where} ${words}`);
    const wasFirst = known?.isFirst ?? false;
    this.named.set(`${key} ${where} ${words}`, {
      ...{ key, level, where, words, runbook, isFirst: isFirst || wasFirst },
    });
  }

  /** What it named, and whether the cause was among it; waits for that a while. */
  async stop(expected: NamedCause | null): Promise<ConsoleFinding> {
    const judge = (): ConsoleFinding => judgeConsole([...this.named.values()], expected);
    const giveUpAt = Date.now() + patienceMs;
    while (judge().found === 'lacking' && Date.now() < giveUpAt) await sleep(everyMs);
    this.isOver = true;
    this.viewing.abort();
    await this.watching;
    return this.withPage(judge());
  }

  /** A page that isn't served is no help. */
  private async withPage(finding: ConsoleFinding): Promise<ConsoleFinding> {
    if (finding.runbook === null) return finding;
    const page = await fetch(`${this.url}/runbook/${finding.runbook}`).catch(() => null);
    await page?.text();
    return page?.status === 200 ? finding : { ...finding, found: 'lacking' };
  }
}
