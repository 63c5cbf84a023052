import { shownText } from '#schemas/shown-text';
import { HttpFault, invalid } from './http-fault';

export type RouteName =
  | 'serverMetadata'
  | 'serverLive'
  | 'serverReady'
  | 'modelMetadata'
  | 'modelReady'
  | 'modelConfig'
  | 'modelStatistics'
  | 'modelInfer'
  | 'repositoryIndex'
  | 'repositoryLoad'
  | 'repositoryUnload'
  | 'regionStatus'
  | 'regionRegister'
  | 'regionUnregister'
  | 'unsupported';

export interface Route {
  readonly name: RouteName;
  readonly method: 'GET' | 'POST';
  /** Of a model or a region; empty where the path names none. */
  readonly subject: string;
  readonly version: string;
}

const model = '/models/:subject';
const versioned = `${model}/versions/:version`;
const repository = '/repository/models/:subject';
const memory = '/systemsharedmemory';
const region = `${memory}/region/:subject`;

const table: readonly (readonly [Route['method'], string, RouteName])[] = [
  ['GET', '', 'serverMetadata'],
  ['GET', '/health/live', 'serverLive'],
  ['GET', '/health/ready', 'serverReady'],
  ['GET', '/models/stats', 'modelStatistics'],
  ...[model, versioned].flatMap(
    (path) =>
      [
        ['GET', path, 'modelMetadata'],
        ['GET', `${path}/ready`, 'modelReady'],
        ['GET', `${path}/config`, 'modelConfig'],
        ['GET', `${path}/stats`, 'modelStatistics'],
        ['POST', `${path}/infer`, 'modelInfer'],
      ] as const,
  ),
  ['POST', '/repository/index', 'repositoryIndex'],
  ['POST', `${repository}/load`, 'repositoryLoad'],
  ['POST', `${repository}/unload`, 'repositoryUnload'],
  ['GET', `${memory}/status`, 'regionStatus'],
  ['GET', `${region}/status`, 'regionStatus'],
  ['POST', `${region}/register`, 'regionRegister'],
  ['POST', `${memory}/unregister`, 'regionUnregister'],
  ['POST', `${region}/unregister`, 'regionUnregister'],
];

const routes = table.map(([method, path, name]) => ({ method, name, parts: path.split('/').slice(1) }));

/** Extensions of Triton that are answered with 501, so that their users see what is missing. */
const unsupported = new Set(['cudasharedmemory', 'trace', 'logging']);

/** The core ends names at a NUL: one in the path would name another model than it says. */
function decode(part: string): string {
  try {
    const text = decodeURIComponent(part);
    if (!text.includes('\0')) return text;
  } catch {
    throw invalid(`the path: "${shownText(part, 80)}" is no percent-encoded text`);
  }
  throw new HttpFault(404, `the path: "${shownText(part, 80)}" is no name`);
}

function match(parts: readonly string[], pattern: readonly string[]): Map<string, string> | null {
  if (parts.length !== pattern.length) return null;
  const found = new Map<string, string>();
  for (const [i, part] of parts.entries()) {
    const wanted = pattern[i]!;
    if (wanted.startsWith(':') && part !== '') found.set(wanted, decode(part));
    else if (wanted !== part) return null;
  }
  return found;
}

/** Throws 404 for a path that is none of ours and 405 for another method than the path's. */
export function routeOf(method: string, url: string): Route {
  const [path = ''] = url.split('?', 1);
  const [root, first, ...rest] = path.split('/');
  const parts = [first, ...rest].slice(1) as string[];
  if (root !== '' || first !== 'v2') throw unknownPath(path);
  const isTrace = parts.at(-2) === 'trace' && parts.at(-1) === 'setting';
  if (unsupported.has(parts[0] ?? '') || isTrace) {
    throw new HttpFault(501, `${shownText(path, 200)}: not supported`);
  }
  const allowed = new Set<string>();
  for (const route of routes) {
    const found = match(parts, route.parts);
    if (found === null) continue;
    if (route.method === method) {
      const { name } = route;
      return { name, method, subject: found.get(':subject') ?? '', version: found.get(':version') ?? '' };
    }
    allowed.add(route.method);
  }
  if (allowed.size === 0) throw unknownPath(path);
  const allow = [...allowed].join(', ');
  throw new HttpFault(405, `${shownText(method, 20)} ${shownText(path, 200)}: allowed is ${allow}`, {
    allow,
  });
}

function unknownPath(path: string): HttpFault {
  return new HttpFault(404, `no ${shownText(path, 200)}; docs/kserve.md lists the paths`);
}
