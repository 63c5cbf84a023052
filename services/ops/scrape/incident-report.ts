import type { Target } from '../config';
import { TextFetcher } from './fetch-text';
import { findInstances } from './instances';

/** As the worker of that name answers it; null where there is no such worker or report. */
export async function incidentReport(
  targets: readonly Target[],
  worker: string,
  id: string,
): Promise<object | null> {
  const instance = (await findInstances(targets)).find(({ name }) => name === worker);
  if (instance === undefined) return null;
  const fetcher = new TextFetcher();
  try {
    const { status, text } = await fetcher.get(`${instance.url}/incidents/${encodeURIComponent(id)}`);
    return status === 200 ? (JSON.parse(text) as object) : null;
  } finally {
    fetcher.close();
  }
}
