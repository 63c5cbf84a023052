import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { RoundhouseError } from '#schemas/errors';

const files = {
  '/': ['index.html', 'text/html; charset=utf-8'],
  '/console.js': ['console.js', 'text/javascript; charset=utf-8'],
  '/console.css': ['console.css', 'text/css; charset=utf-8'],
  '/theme.js': ['theme.js', 'text/javascript; charset=utf-8'],
  '/favicon.svg': ['favicon.svg', 'image/svg+xml'],
} as const;

interface StaticFile {
  readonly type: string;
  readonly bytes: Buffer;
  readonly zipped: Buffer;
  readonly etag: string;
}

function load(folder: string, [name, type]: readonly [string, string]): StaticFile {
  try {
    const bytes = readFileSync(join(folder, name));
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
    return { type, bytes, zipped: gzipSync(bytes, { level: 9 }), etag };
  } catch (cause) {
    const message = `the console's page is not built (${name}): run "node scripts/setup.mjs typescript"`;
    throw new RoundhouseError('DEPENDENCY_ABSENT', message, [], { cause });
  }
}

/** Pages of the runbook and the docs without their ending: `/runbook/RoundhouseOutage`, `/docs/adr/0001-…`. */
function pagesUnder(folder: string, at: string): [string, StaticFile][] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry): [string, StaticFile][] => {
    const { name } = entry;
    if (entry.isDirectory()) return pagesUnder(join(folder, name), `${at}/${name}`);
    if (!name.endsWith('.html')) return [];
    return [[`${at}/${name.replace(/\.html$/, '')}`, load(folder, [name, 'text/html; charset=utf-8'])]];
  });
}

/** The console's page, the runbook's and the docs', held in memory, known by their content. */
export class StaticFiles {
  private readonly byPath: ReadonlyMap<string, StaticFile>;

  /** Throws DEPENDENCY_ABSENT where the page is not built. */
  constructor(folder: string) {
    this.byPath = new Map([
      ...Object.entries(files).map(([path, file]): [string, StaticFile] => [path, load(folder, file)]),
      ...['runbook', 'docs'].flatMap((name) => pagesUnder(join(folder, name), `/${name}`)),
    ]);
  }

  /** Resolves to false for any other path. */
  answer(path: string, request: IncomingMessage, response: ServerResponse): boolean {
    const file = this.byPath.get(path);
    if (file === undefined) return false;
    const { type, etag, bytes, zipped } = file;
    const shared = { etag, 'cache-control': 'no-cache', vary: 'accept-encoding' };
    if (request.headers['if-none-match'] === etag) {
      response.writeHead(304, shared).end();
      return true;
    }
    const takesZipped = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
    const body = takesZipped ? zipped : bytes;
    response.writeHead(200, {
      ...shared,
      'content-type': type,
      'content-length': body.length,
      ...(takesZipped && { 'content-encoding': 'gzip' }),
    });
    response.end(request.method === 'HEAD' ? undefined : body);
    return true;
  }
}
