import type { RoundView } from '../../console/messages';

/** What the page shows, by its address behind the `#`. */
export type Route =
  | { readonly page: 'overview' }
  | { readonly page: 'round'; readonly tenantId: string; readonly runId: string; readonly roundId: string }
  | { readonly page: 'incident'; readonly worker: string; readonly id: string };

export function routeOf(hash: string): Route {
  const [page, query = ''] = hash.replace(/^#\/?/, '').split('?');
  const values = new URLSearchParams(query);
  const of = (name: string): string => values.get(name) ?? '';
  if (page === 'round') return { page, tenantId: of('tenantId'), runId: of('runId'), roundId: of('roundId') };
  if (page === 'incident') return { page, worker: of('worker'), id: of('id') };
  return { page: 'overview' };
}

export function roundAddress({
  tenantId,
  runId,
  roundId,
}: Pick<RoundView, 'tenantId' | 'runId' | 'roundId'>): string {
  return `#/round?${new URLSearchParams({ tenantId, runId, roundId })}`;
}

export function incidentAddress(worker: string, id: string): string {
  return `#/incident?${new URLSearchParams({ worker, id })}`;
}

export const overviewAddress = '#/';
