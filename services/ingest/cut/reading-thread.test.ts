import { createHash } from 'node:crypto';
import { TravelMatrices } from '#lib/travel-matrices';
import { cityRounds } from '#policy/simulation/city/city-rounds';
import { defaultRoundLimits } from '#policy/validation/index';
import type { UnixMs } from '#schemas/brands';
import { toJsonText } from '#schemas/decision-json';
import { topicsOf } from '#schemas/topics';
import { partOfRound, type PartAnswer, type PartJob } from './part-thread';
import { ReadingThread } from './reading-thread';
import { partThreads, RoundParts, type PartPort } from './round-parts';
import type { RoundAnswer } from './round-thread';

const matrices = new TravelMatrices('no such folder');
const maxCandidates = 5_000;
const [round] = cityRounds({ seed: 3, couriers: 30, orders: 60, candidates: null, policy: {} }, 1);
const body = toJsonText({ ...round!, deadline: 1_900_000_000_000 as UnixMs });
const reading = { now: 1_899_999_999_000 as UnixMs, tenant: undefined, limits: defaultRoundLimits };
const cutting = {
  sequence: 7n,
  modelLabel: 'canary' as const,
  models: [{ name: 'candidate_cost', version: '1', contentHash: 'c'.repeat(64) }],
  limits: { maxCandidates, shardsPerRound: 4, candidatesPerShard: 200 },
  topics: topicsOf(),
  receivedAt: 0,
  traceparent: '',
};

/** Does a part in its own time, as a thread of its own would. */
class Helper implements PartPort {
  readonly jobs: PartJob[] = [];
  constructor(private readonly part: (job: PartJob) => PartAnswer = (job) => partOfRound(job, matrices)) {}
  start(): void {}
  async ask(job: PartJob): Promise<PartAnswer> {
    this.jobs.push(job);
    await new Promise(setImmediate);
    return structuredClone(this.part(job));
  }
}

const threadWith = (helpers: readonly PartPort[]) =>
  new ReadingThread(matrices, new RoundParts(helpers, maxCandidates));

function read(thread: ReadingThread, text = body, number = 0): Promise<RoundAnswer> {
  const bytes = new Uint8Array(Buffer.from(text));
  return thread.answer({ kind: 'read', number, bytes, format: 'json', maxElements: 1_000_000, job: reading });
}

/** Hashes of the content and of all bytes that go onto Kafka. */
async function madeBy(thread: ReadingThread, limits = cutting.limits): Promise<readonly string[]> {
  const found = await read(thread);
  if (!('reading' in found) || found.reading.kind !== 'valid') throw new Error(JSON.stringify(found));
  const cut = await thread.answer({ kind: 'cut read', number: 0, job: { ...cutting, limits } });
  if (!('result' in cut)) throw new Error(JSON.stringify(cut));
  const { shards, manifest } = cut.result;
  expect(shards.length).toBeGreaterThan(1);
  const hash = createHash('sha256');
  for (const { value } of [...shards, manifest]) hash.update(value!);
  return [found.reading.contentHash, hash.digest('hex')];
}

const helpersOf = (count: number, part?: (job: PartJob) => PartAnswer) =>
  Array.from({ length: count }, () => new Helper(part));

test('the same content hash, shards and manifest whatever the number of threads', async () => {
  const alone = await madeBy(threadWith([]));
  for (const count of [1, 2, 3, 4, 7]) {
    const helpers = helpersOf(count);
    expect(await madeBy(threadWith(helpers))).toEqual(alone);
    const jobs = helpers.flatMap((helper) => helper.jobs);
    // One hashes, and one part of as many as there are helpers is left to the thread itself.
    expect(jobs.map((job) => (job.kind === 'hash' ? 'hash' : `${job.part} of ${job.of}`))).toEqual(
      count < 2 ? [] : ['hash', ...Array.from({ length: count - 1 }, (_, part) => `${part} of ${count}`)],
    );
  }
});

test('helpers are asked before the body is read here', async () => {
  const asked: string[] = [];
  const helper = {
    start: () => undefined,
    ask: (job: PartJob) => {
      asked.push(job.kind);
      return Promise.resolve({ contentHash: null, offers: null });
    },
  };
  const reply = read(threadWith([helper, helper]));
  // Nothing was waited for yet, but the body is read and its round viewed.
  expect(asked).toEqual(['hash', 'offers']);
  await reply;
});

test('what a helper does not do is done here: one that finds nothing, one that ends', async () => {
  const alone = await madeBy(threadWith([]));
  const nothing = () => ({ contentHash: null, offers: null });
  expect(await madeBy(threadWith(helpersOf(4, nothing)))).toEqual(alone);
  const ends = { start: () => undefined, ask: () => Promise.reject(new Error('ended')) };
  expect(await madeBy(threadWith([ends, ends, new Helper(), ends]))).toEqual(alone);
});

test('parts of another limit of candidates are of no use', async () => {
  const limits = { ...cutting.limits, maxCandidates: 500 };
  expect(await madeBy(threadWith(helpersOf(3)), limits)).toEqual(await madeBy(threadWith([]), limits));
});

test('cut ahead with the limits of the round before: the same bytes, where they change again, too', async () => {
  const other = { ...cutting.limits, shardsPerRound: 2 };
  const [alone, others] = [await madeBy(threadWith([])), await madeBy(threadWith([]), other)];
  expect(others[1]).not.toBe(alone[1]);
  const thread = threadWith(helpersOf(3));
  for (const limits of [cutting.limits, cutting.limits, other, other, cutting.limits]) {
    expect(await madeBy(thread, limits)).toEqual(limits === other ? others : alone);
  }
});

test('what can not be cut ahead is refused when it is asked for', async () => {
  const tooSmall = { ...cutting.limits, maxShardBytes: 1_200 };
  const thread = threadWith(helpersOf(3));
  for (let number = 0; number < 2; number++) {
    await read(thread, body, number);
    const cut = await thread.answer({ kind: 'cut read', number, job: { ...cutting, limits: tooSmall } });
    expect(cut).toMatchObject({ refused: { code: 'ROUND_TOO_LARGE' } });
  }
});

test('a round that is dropped while its claim is on the way disturbs no other', async () => {
  const thread = threadWith(helpersOf(3));
  await madeBy(thread);
  await read(thread, body, 1);
  thread.drop(1);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(await madeBy(thread)).toEqual(await madeBy(threadWith([])));
});

test('a body with faults is read without its parts, and the next one with them', async () => {
  const helpers = helpersOf(3);
  const thread = threadWith(helpers);
  expect(await read(thread, '{}')).toMatchObject({ reading: { kind: 'invalid' } });
  expect(await read(thread, 'no JSON')).toMatchObject({ refused: { code: 'PAYLOAD_INVALID' } });
  expect(await madeBy(thread)).toEqual(await madeBy(threadWith([])));
  expect(helpers.map(({ jobs }) => jobs.length)).toEqual([3, 3, 3]);
});

test('a round that was dropped is not cut', async () => {
  const thread = threadWith(helpersOf(2));
  await read(thread);
  thread.drop(0);
  expect(await thread.answer({ kind: 'cut read', number: 0, job: cutting })).toMatchObject({
    refused: { code: 'INGEST_BUSY' },
  });
});

test.each([
  [1, 0],
  [7, 0],
  [8, 3],
  [15, 3],
  [16, 4],
  [128, 4],
])('%i cores: %i threads beside the one that leads', (cores, threads) =>
  expect(partThreads(cores)).toBe(threads),
);
