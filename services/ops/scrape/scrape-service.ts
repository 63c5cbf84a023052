import type { Farewell } from './farewells';
import type { TextFetcher } from './fetch-text';
import { LastReadings } from './last-readings';
import { readReadiness, readStatus } from './read-answers';
import { readSeries, type Series } from './prometheus-text';
import type { Instance } from './instances';
import { wantedSeries } from './wanted-series';

/** As the worker answers at /status. */
export interface EngineFacts {
  readonly id: string;
  readonly state: string;
  readonly reason: string;
  readonly device: string;
  readonly incarnation: number;
}
export interface IncidentFacts {
  readonly id: string;
  readonly kind: string;
  readonly role: string;
  readonly reason: string;
  readonly at: string;
  readonly reaction: string;
  readonly engine: {
    readonly pid: number;
    readonly device: string;
    readonly exitCode: number | null;
    readonly signal: string | null;
    readonly upMs: number;
  } | null;
}

/** What a process answered. */
export interface ServiceLook {
  readonly instance: Instance;
  /** Why it did not; null where it answered. */
  readonly fault: string | null;
  /** Of its checks; empty where it is ready. */
  readonly reasons: Readonly<Record<string, string>>;
  readonly warnings: Readonly<Record<string, string>>;
  readonly series: readonly Series[];
  readonly engines: readonly EngineFacts[];
  readonly incidents: readonly IncidentFacts[];
  /** How the last process of that name ended, as far as it was heard. */
  readonly farewell: Farewell | null;
}

const readings = new LastReadings();

async function json<T>(
  fetcher: TextFetcher,
  instance: Instance,
  path: string,
  read: (answer: unknown) => T,
): Promise<T> {
  const { text } = await fetcher.get(instance, path);
  return readings.of(`${instance.url}${path}`, text, (said) => read(JSON.parse(said) as unknown));
}

function isWorker(series: readonly Series[]): boolean {
  return series.some(({ labels }) => labels['service'] === 'inference-worker');
}

const noStatus = { engines: [], incidents: [] };
const nothing = {
  reasons: {},
  warnings: {},
  series: [],
  ...noStatus,
  farewell: null,
} as const;

/** Never rejects: a process that doesn't answer is what is to be known. */
export async function scrapeService(fetcher: TextFetcher, instance: Instance): Promise<ServiceLook> {
  try {
    const [readiness, metrics] = await Promise.all([
      json(fetcher, instance, '/readyz', readReadiness),
      fetcher.get(instance, '/metrics'),
    ]);
    const series = readSeries(metrics.text, wantedSeries);
    const status = isWorker(series) ? await json(fetcher, instance, '/status', readStatus) : noStatus;
    return {
      instance,
      fault: null,
      farewell: null,
      ...readiness,
      series,
      ...status,
    };
  } catch (error) {
    const fault = error instanceof SyntaxError ? 'an answer that is not ours' : (error as Error).message;
    return { instance, fault, ...nothing };
  }
}
