import type { Target } from '../config';
import { TextFetcher } from './fetch-text';
import { findInstances } from './instances';

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What the page draws of a report; one that was shortened may lack the last two. */
function isReport(value: unknown): value is object {
  if (!isObject(value)) return false;
  const { kind, role, at, reaction, engine = {}, requests = [] } = value;
  const hasWords = [kind, role, at, reaction].every((words) => typeof words === 'string');
  return hasWords && isObject(engine) && Array.isArray(requests) && requests.every(isObject);
}

function readReport(text: string): object {
  let report: unknown = null;
  try {
    report = JSON.parse(text);
  } catch {
    // Its words would quote what is no report of ours.
  }
  if (isReport(report)) return report;
  throw new Error('an answer that is not ours');
}

/** As the worker of that name answers it; null where there is no such worker or report. Rejects where it answers otherwise. */
export async function incidentReport(
  targets: readonly Target[],
  worker: string,
  id: string,
): Promise<object | null> {
  const instance = (await findInstances(targets)).find(({ name }) => name === worker);
  if (instance === undefined) return null;
  const fetcher = new TextFetcher();
  try {
    const { status, text } = await fetcher.get(instance, `/incidents/${encodeURIComponent(id)}`);
    return status === 200 ? readReport(text) : null;
  } finally {
    fetcher.close();
  }
}
