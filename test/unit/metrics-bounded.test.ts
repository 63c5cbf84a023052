import { createTelemetry } from '#lib/telemetry';
import { aggregatorEvents } from '#services/aggregator/events';
import { workerEvents } from '#services/inference-worker/events';
import { ingestEvents } from '#services/ingest/events';
import { opsEvents } from '#services/ops/events';

jest.setTimeout(120_000);

const makers = {
  ingest: ingestEvents,
  'inference-worker': workerEvents,
  aggregator: aggregatorEvents,
  ops: opsEvents,
};

const amounts =
  /(seconds|ms|bytes|count|shards|requests|candidates|coverage|utilization|times|error|bias|pid|sum)$/i;

/** Every text is another one; what metrics compute with are numbers. */
function anyFields(number: number): object {
  return new Proxy(
    {},
    {
      get(_, name) {
        if (typeof name !== 'string') return undefined;
        if (name === 'counts') return [1, 0, 2];
        return amounts.test(name) ? number % 7 : `${name}-${number}`;
      },
    },
  );
}

function seriesOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/ \S+$/, ''));
}

const events = 1_000_000;
const before = 20_000;

test.each(Object.entries(makers))(
  'the series of %s are the same after a million events with as many ids',
  async (service, make) => {
    const telemetry = createTelemetry({ service, logLevel: 'silent' });
    const emitters = Object.values(make(telemetry)) as ((fields: object) => void)[];
    const dispatched = async () =>
      seriesOf((await telemetry.registry.scrape()).body).filter((line) => line.startsWith('dispatch_'));
    const emit = (from: number, to: number) => {
      for (let i = from; i < to; i += 1) emitters[i % emitters.length]!(anyFields(i));
    };
    emit(0, before);
    const known = await dispatched();
    emit(before, events);
    expect(await dispatched()).toEqual(known);
    expect(known.length).toBeLessThan(6_000);
  },
);
