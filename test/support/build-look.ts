import { readSeries } from '#services/ops/scrape/prometheus-text';
import type { ServiceLook } from '#services/ops/scrape/scrape-service';
import { wantedSeries } from '#services/ops/scrape/wanted-series';

/** For tests: what a process answered, its metrics as text. */
export function buildLook(name: string, metrics = '', changes: Partial<ServiceLook> = {}): ServiceLook {
  return {
    instance: { name, url: `http://${name}` },
    fault: null,
    reasons: {},
    warnings: {},
    series: readSeries(metrics, wantedSeries),
    engines: [],
    incidents: [],
    farewell: null,
    ...changes,
  };
}
