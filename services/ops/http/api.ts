import type { RoundDetail, Snapshot } from '../console/messages';
import type { RoundId, RoundView } from '../rounds/round-view';

/** An answer in JSON. */
export interface Reply {
  readonly status: number;
  readonly body: object;
}

export type ProblemsNow = Pick<Snapshot, 'at' | 'level' | 'problems' | 'recent' | 'forgets'>;

export interface ApiParts {
  /** What is wrong and was of late; null before the first look. */
  problems(): ProblemsNow | null;
  search(text: string): RoundView[];
  detail(id: RoundId): Promise<RoundDetail | null>;
  /** The whole report, as the worker answers it. Rejects, in words for an operator, where it doesn't. */
  incident(worker: string, id: string): Promise<object | null>;
}

const longestText = 200;

function notFound(message: string): Reply {
  return { status: 404, body: { error: 'NOT_FOUND', message } };
}

function invalid(message: string): Reply {
  return { status: 400, body: { error: 'PAYLOAD_INVALID', message } };
}

/** Parameters that have to be there, each at most so long; null where one isn't. */
function parametersOf<K extends string>(
  query: URLSearchParams,
  names: readonly K[],
): Record<K, string> | null {
  const values = names.map((name) => [name, query.get(name) ?? ''] as const);
  const areGood = values.every(([, value]) => value !== '' && value.length <= longestText);
  return areGood ? (Object.fromEntries(values) as Record<K, string>) : null;
}

/** `/api/…`; null for a path that isn't there. */
export async function answerApi(
  parts: ApiParts,
  path: string,
  query: URLSearchParams,
): Promise<Reply | null> {
  if (path === '/api/rounds') {
    const found = parametersOf(query, ['text']);
    return found === null
      ? invalid('text: 1 to 200 characters')
      : { status: 200, body: { rounds: parts.search(found.text) } };
  }
  if (path === '/api/problems') {
    const now = parts.problems();
    return now === null ? notFound('nobody has looked yet') : { status: 200, body: now };
  }
  if (path === '/api/round') return answerRound(parts, query);
  if (path === '/api/incident') return answerIncident(parts, query);
  return null;
}

async function answerRound(parts: ApiParts, query: URLSearchParams): Promise<Reply> {
  const id = parametersOf(query, ['tenantId', 'runId', 'roundId']);
  if (id === null) return invalid('tenantId, runId, roundId: 1 to 200 characters each');
  const detail = await parts.detail(id as unknown as RoundId);
  return detail === null ? notFound('no such round is remembered here') : { status: 200, body: detail };
}

async function answerIncident(parts: ApiParts, query: URLSearchParams): Promise<Reply> {
  const found = parametersOf(query, ['worker', 'id']);
  if (found === null || !/^[\w.-]+$/.test(found.id)) return invalid('worker and id of an incident');
  try {
    const report = await parts.incident(found.worker, found.id);
    return report === null ? notFound('no such report is left') : { status: 200, body: report };
  } catch (error) {
    const message = `its worker does not answer: ${error instanceof Error ? error.message : String(error)}`;
    return { status: 502, body: { error: 'WORKER_SILENT', message } };
  }
}
