import { Counter } from 'prom-client';
import { asksForOpenMetrics } from './exposition';
import { LabelSpace } from './label-space';
import { gaugeFamily, MetricsRegistry } from './registry';
import { createTelemetry, defineEvents, event } from '../telemetry';

const service = { service: 'test' };
const openMetrics = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.3';

function linesOf(text: string, name: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(name));
}

test('values of a closed list are 0 from the start, others are counted together', async () => {
  const registry = new MetricsRegistry(service);
  const family = registry.counter('dispatch_a_total', 'A.', { closedBy: ['complete', 'deadline'] });
  family.add({ closedBy: 'deadline' });
  family.add({ closedBy: 'anything' }, 2);
  family.add({}, 3);
  expect(linesOf(await registry.metrics(), 'dispatch_a_total')).toEqual([
    'dispatch_a_total{closed_by="complete",service="test"} 0',
    'dispatch_a_total{closed_by="deadline",service="test"} 1',
    // 2 of a value that isn't listed, 3 of an event without the field
    'dispatch_a_total{closed_by="other",service="test"} 5',
  ]);
});

test('an open label has its first values by name', () => {
  const space = new LabelSpace({ model: 2, status: ['solved', 'late'] });
  const texts = ['a', 'b', 'c', 'd', 'a'].map((model) =>
    space.text(space.numberOf({ model, status: 'late' })),
  );
  expect(texts).toEqual([
    'model="a",status="late"',
    'model="b",status="late"',
    'model="other",status="late"',
    'model="other",status="late"',
    'model="a",status="late"',
  ]);
  // (2 models and `other`) × (2 statuses and `other`)
  expect(space.size).toBe(9);
});

test.each(['roundId', 'run', 'shardIndex', 'tenantId', 'orderId', 'traceId', 'address', '9lives'])(
  'a label %s is refused at the start',
  (field) => {
    expect(() => new LabelSpace({ [field]: 8 })).toThrow(`can't be a label`);
  },
);

// Series that came with the first event of their kind: a rate over it saw nothing.
test('once values of open labels are known, what counts by them stands at 0', () => {
  const telemetry = createTelemetry({ service: 'test', logLevel: 'silent' });
  const gauge = (name: string) => ({ name, help: 'A.', value: () => 1 });
  const events = defineEvents(telemetry, {
    Chosen: event<{ engine: string }>({ level: 'info', foresees: ['engine'] }),
    Ended: event<{ engine: string; end: string; seconds: number }>({
      level: 'info',
      labels: { engine: 2, end: ['good', 'lost'] },
      counter: { name: 'dispatch_ends_total', help: 'A.' },
      gauge: { ...gauge('dispatch_open'), labels: ['engine'], isZeroAtFirst: true },
      histogram: [
        { name: 'dispatch_a_seconds', help: 'A.', labels: ['engine'], buckets: [1], value: () => 1 },
        { name: 'dispatch_b_seconds', help: 'A.', buckets: [1], value: () => 1 },
      ],
    }),
    Started: event<{ engine: string }>({
      level: 'info',
      labels: { engine: 2 },
      gauge: gauge('dispatch_pid'),
    }),
    Refused: event<{ engine: string; gpu: string }>({
      level: 'info',
      labels: { engine: 2, gpu: 2 },
      counter: { name: 'dispatch_refusals_total', help: 'A.' },
    }),
  });
  const seen = (name: string) => {
    const family = telemetry.registry.listed().find((one) => one.name === name)!;
    return [...family.samples()].map(({ suffix, labels, value }) => `${suffix}{${labels}} ${value}`);
  };
  expect(seen('dispatch_ends_total')).toEqual([]);
  events.Ended({ engine: 'a', end: 'lost', seconds: 1 });
  for (const engine of ['a', 'b']) events.Chosen({ engine });
  expect(seen('dispatch_ends_total')).toEqual([
    '{engine="a",end="lost"} 1',
    '{engine="a",end="good"} 0',
    '{engine="b",end="good"} 0',
    '{engine="b",end="lost"} 0',
  ]);
  expect(seen('dispatch_open')).toEqual(['{engine="a"} 1', '{engine="b"} 0']);
  expect(seen('dispatch_a_seconds').filter((line) => line.startsWith('_count'))).toEqual([
    '_count{engine="a"} 1',
    '_count{engine="b"} 0',
  ]);
  // One that ended alone: histograms are long. A process that isn't there has no id, and of GPUs nothing is known.
  expect(seen('dispatch_b_seconds').filter((line) => line.startsWith('_count'))).toHaveLength(1);
  expect(seen('dispatch_pid')).toEqual([]);
  expect(seen('dispatch_refusals_total')).toEqual([]);
});

test('amounts that are none, and those below 0, count nothing', () => {
  const registry = new MetricsRegistry();
  const family = registry.counter('dispatch_a_total', 'A.');
  for (const amount of [NaN, Infinity, -1, '5' as unknown as number]) family.add({}, amount);
  registry.histogram('dispatch_a_seconds', 'A.', [1]).observe({}, NaN);
  expect(registry.total('dispatch_a_total')).toBe(0);
  expect(registry.total('dispatch_a_seconds', {}, '_count')).toBe(0);
});

test('buckets of a histogram are cumulative, and counts from elsewhere add to them', async () => {
  const registry = new MetricsRegistry();
  const family = registry.histogram('dispatch_a_seconds', 'A.', [0.1, 1], { kind: ['x'] });
  for (const value of [0.1, 0.5, 7]) family.observe({ kind: 'x' }, value);
  family.addCounts({ kind: 'x' }, [4, 0, 1], 3);
  expect(linesOf(await registry.metrics(), 'dispatch_a_seconds')).toEqual([
    'dispatch_a_seconds_bucket{le="0.1",kind="x"} 5', // 0.1 is in its bucket: 1 + 4
    'dispatch_a_seconds_bucket{le="1",kind="x"} 6',
    'dispatch_a_seconds_bucket{le="+Inf",kind="x"} 8',
    'dispatch_a_seconds_sum{kind="x"} 10.6', // 0.1 + 0.5 + 7 + 3
    'dispatch_a_seconds_count{kind="x"} 8',
  ]);
});

test('an exemplar is told to who asks for OpenMetrics, and to no one else', async () => {
  const registry = new MetricsRegistry(service);
  const family = registry.histogram('dispatch_a_seconds', 'A.', [1]);
  const traceId = 'ab'.repeat(16);
  family.observe({}, 0.5, traceId);
  family.observe({}, 2);
  const { body, contentType } = await registry.scrape(openMetrics);
  expect(contentType).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8');
  const [first, second] = linesOf(body, 'dispatch_a_seconds_bucket');
  expect(first).toMatch(
    new RegExp(
      `^dispatch_a_seconds_bucket\\{le="1",service="test"\\} 1 # \\{trace_id="${traceId}"\\} 0\\.5 \\d{10}\\.\\d{3}$`,
    ),
  );
  expect(second).toBe('dispatch_a_seconds_bucket{le="+Inf",service="test"} 2');
  expect((await registry.scrape('text/plain')).body).not.toContain(' # ');
});

test('OpenMetrics names counters without _total, ends with # EOF and has no empty line', async () => {
  const registry = new MetricsRegistry();
  registry.counter('dispatch_a_total', 'A.').add({});
  registry.addSource(() => [
    gaugeFamily('nv_inference_count', 'As Triton has it.', [{ value: 3 }], 'counter'),
  ]);
  registry.registerMetric(new Counter({ name: 'process_a_total', help: 'B.', registers: [] }));
  expect((await registry.scrape(openMetrics)).body).toBe(
    [
      '# HELP dispatch_a A.',
      '# TYPE dispatch_a counter',
      'dispatch_a_total 1',
      '# HELP nv_inference_count As Triton has it.',
      '# TYPE nv_inference_count unknown',
      'nv_inference_count 3',
      '# HELP process_a B.',
      '# TYPE process_a counter',
      'process_a_total 0',
      '# EOF',
      '',
    ].join('\n'),
  );
});

test('text in labels and help is escaped, and numbers that are none have their names', async () => {
  const registry = new MetricsRegistry({ service: 'a"b\\c\nd' });
  registry.gauge('dispatch_a', 'One\nline.').set({}, Infinity);
  registry.gauge('dispatch_b', 'B.').set({}, NaN);
  const text = await registry.metrics();
  expect(text).toContain('# HELP dispatch_a One\\nline.\n');
  expect(text).toContain('dispatch_a{service="a\\"b\\\\c\\nd"} +Inf\n');
  expect(text).toContain('dispatch_b{service="a\\"b\\\\c\\nd"} NaN\n');
});

test('a name is taken once, but a gauge may have several events', () => {
  const registry = new MetricsRegistry();
  registry.counter('dispatch_a_total', 'A.');
  expect(() => registry.counter('dispatch_a_total', 'A.')).toThrow('dispatch_a_total');
  expect(registry.gauge('dispatch_b', 'B.')).toBe(registry.gauge('dispatch_b', 'B.'));
});

// Guards against alerts that went on for ever about a remote that had been scaled away.
test('a gauge of what is gone ends, and its name makes room for another', () => {
  const telemetry = createTelemetry({ service: 'test', logLevel: 'silent' });
  const gauge = { name: 'dispatch_usable', help: 'A.' };
  const events = defineEvents(telemetry, {
    Found: event<{ name: string }>({
      level: 'info',
      labels: { name: 2 },
      gauge: { ...gauge, value: () => 0 },
    }),
    Gone: event<{ name: string }>({
      level: 'info',
      labels: { name: 2 },
      gauge: { ...gauge, value: () => null },
    }),
  });
  const seen = () => {
    const family = telemetry.registry.listed().find(({ name }) => name === gauge.name)!;
    return [...family.samples()].map(({ labels }) => labels).sort();
  };
  for (const name of ['a', 'b', 'c']) events.Found({ name });
  expect(seen()).toEqual(['name="a"', 'name="b"', 'name="other"']);
  events.Gone({ name: 'a' });
  events.Gone({ name: 'never seen' });
  events.Found({ name: 'd' });
  expect(seen()).toEqual(['name="b"', 'name="d"', 'name="other"']);
});

test('a source may bring families up to date before they are read', async () => {
  const registry = new MetricsRegistry();
  const gauge = registry.gauge('dispatch_a', 'A.', { kind: 2 });
  registry.addSource(() => gauge.set({ kind: 'x' }, 3));
  expect(await registry.metrics()).toContain('dispatch_a{kind="x"} 3');
});

test('a source that fails does not cost the scrape', async () => {
  const registry = new MetricsRegistry();
  registry.gauge('dispatch_a', 'A.').set({}, 1);
  registry.addSource(() => Promise.reject(new Error('gone')));
  expect(await registry.metrics()).toContain('dispatch_a 1');
});

test.each([
  [undefined, false],
  ['text/plain', false],
  ['*/*', false],
  [openMetrics, true],
  ['text/plain, application/openmetrics-text', true],
  ['application/openmetrics-textual', false],
])('Accept %s', (accept, asks) => {
  expect(asksForOpenMetrics(accept)).toBe(asks);
});
