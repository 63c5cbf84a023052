import type { UnixMs } from '#schemas/brands';
import { defaultRoundLimits } from '#policy/validation/index';
import type { PartAnswer, PartJob } from './part-thread';
import { RoundParts } from './round-parts';

const job = { now: 0 as UnixMs, tenant: undefined, limits: defaultRoundLimits };
const rest = { format: 'json' as const, maxElements: 10, job };

/** Answers when it is told to. */
class SlowPort {
  readonly answers: (() => void)[] = [];
  start(): void {}
  ask(asked: PartJob): Promise<PartAnswer> {
    const answer = { contentHash: String(asked.bytes[0]), offers: null };
    return new Promise((resolve) => this.answers.push(() => resolve(answer)));
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

// Guards against bodies that piled up, each with its memory, where rounds were read faster than threads offered.
test('a thread has one part in work and three that wait; the fifth is left to the caller', async () => {
  const ports = [new SlowPort(), new SlowPort()];
  const parts = new RoundParts(ports, 100);
  const begun = [1, 2, 3, 4, 5].map((body) => parts.begin(Uint8Array.of(body), rest)!);
  expect(await begun[4]!.contentHash).toBeNull();
  expect(await begun[4]!.offers[0]).toBeNull();
  ports[0]!.answers[0]!();
  expect(await begun[0]!.contentHash).toBe('1');
  await settled();
  // One is answered: there is room for one again.
  parts.begin(Uint8Array.of(6), rest);
  for (const answer of [1, 2, 3, 4]) {
    ports[0]!.answers[answer]!();
    await settled();
  }
  expect(ports[0]!.answers).toHaveLength(5);
  expect(await begun[3]!.contentHash).toBe('4');
});
