import { createTelemetry, defineEvents, event } from '#lib/telemetry';
import { equal, timing, type Check, type Drill, type DrillContext } from '../drill';
import { scrape } from '../metrics';
import { senderTo } from '../rounds/under-load';

const services = ['ingest', 'worker', 'aggregator'];

/** Events as services make them, each with ids of its own. */
async function synthetic(count: number): Promise<Check[]> {
  const telemetry = createTelemetry({ service: 'drill', logLevel: 'silent' });
  const events = defineEvents(telemetry, {
    Happened: event<{ roundId: string; status: string; seconds: number }>({
      level: 'debug',
      labels: { status: ['solved', 'failed', 'late'] },
      counter: { name: 'dispatch_drill_total', help: 'Synthetic.' },
      histogram: {
        name: 'dispatch_drill_seconds',
        help: 'Synthetic.',
        buckets: [0.01, 0.1, 1, 10],
        value: ({ seconds }) => seconds,
      },
    }),
  });
  const status = (i: number) => ['solved', 'failed', 'late'][i % 3]!;
  const make = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      events.Happened({ roundId: `round-${i}`, status: status(i), seconds: (i % 1_000) / 100 });
    }
  };
  make(0, 1_000);
  const linesOf = async () =>
    (await telemetry.registry.metrics()).split('\n').filter((line) => /^dispatch_/.test(line)).length;
  const before = await linesOf();
  make(1_000, count);
  const from = performance.now();
  const after = await linesOf();
  return [
    equal(`series after ${count} events with ids of their own`, before, after),
    timing('a scrape takes', 100, performance.now() - from),
  ];
}

/** Node's kinds of open handles and of garbage collections come by themselves; there are a dozen and four. */
const ownSeries = (series: ReadonlyMap<string, number>): string[] =>
  [...series.keys()].filter((name) => !/^nodejs_(active|gc)_/.test(name));

/** How many each service has, and at most five of those that it had not before. */
function seriesText(found: readonly (readonly string[])[], before: readonly (readonly string[])[]): string {
  const counts = found.map(({ length }) => length).join(', ');
  const added = found.flatMap((names, i) => names.filter((name) => !before[i]!.includes(name)));
  return added.length === 0 ? counts : `${counts}; new: ${added.slice(0, 5).join(', ')}`;
}

async function live({ stand, of }: DrillContext): Promise<Check[]> {
  const sender = senderTo(stand, 'series');
  // Whatever comes once has come.
  for (let i = 0; i < 20; i++) await sender.dispatch(5_000);
  const counts = async () =>
    Promise.all(services.map(async (name) => ownSeries(await scrape(stand.url(name, '/metrics')))));
  const before = await counts();
  for (let i = 0; i < of(200, 20); i++) await sender.dispatch(5_000);
  const from = performance.now();
  const after = await counts();
  const ms = (performance.now() - from) / services.length;
  return [
    equal(
      'series of the services after 200 rounds more',
      seriesText(before, before),
      seriesText(after, before),
    ),
    timing('a scrape of a service takes', 100, ms),
  ];
}

export const seriesDrills: readonly Drill[] = [
  {
    name: 'series',
    row: '12',
    fault: 'a million events with ids of their own; 200 rounds through the pipeline (a tenth in CI)',
    expected: 'the number of series stays the same; a scrape takes less than 100 ms',
    inQuick: false,
    run: async (context) => [...(await synthetic(context.of(1_000_000, 100_000))), ...(await live(context))],
  },
];
