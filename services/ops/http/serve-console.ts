import type { IncomingMessage, ServerResponse } from 'node:http';
import { networkOf } from '#lib/access/network-of';
import { closeServer, healthRoutes, listen, type HealthOptions } from '#lib/health';
import { createWebServer, isVerified, watchCertificate, type ServerTls } from '#lib/server-tls';
import type { Snapshot } from '../console/messages';
import { answerApi, type ApiParts, type Reply } from './api';
import type { StaticFiles } from './static-files';
import { streamHeaders, type Viewers } from './viewers';

/** Nothing but our own files runs or is loaded, and nobody frames the page. */
const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
} as const;

export interface ConsoleParts extends HealthOptions {
  readonly host: string;
  readonly port: number;
  /** The variable that names it. */
  readonly portKey?: string;
  /** null or absent: in the clear. */
  readonly tls?: ServerTls | null;
  readonly files: StaticFiles;
  readonly viewers: Viewers;
  readonly api: ApiParts;
  snapshot(): Snapshot | null;
  onFault(error: unknown): void;
}

function send(response: ServerResponse, { status, body }: Reply): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

const readOnly: Reply = { status: 405, body: { error: 'METHOD_NOT_ALLOWED', message: 'only GET and HEAD' } };
const unknown: Reply = {
  status: 401,
  body: { error: 'UNAUTHENTICATED', message: 'show a certificate of the authority for clients' },
};
const busy: Reply = { status: 503, body: { error: 'BUSY', message: 'too many consoles are open' } };
const busyForAddress: Reply = {
  status: 429,
  body: {
    error: 'BUSY',
    message: 'too many consoles are open from this address (ROUNDHOUSE_OPS_MAX_VIEWERS_PER_ADDRESS)',
  },
};
const absent: Reply = { status: 404, body: { error: 'NOT_FOUND', message: 'nothing is there' } };

/** The console's page, its events and questions, and the health routes, on one port. Everything is read only. */
export async function serveConsole(parts: ConsoleParts): Promise<{ port: number; close(): Promise<void> }> {
  const { tls = null } = parts;
  const health = healthRoutes(parts);
  watchCertificate(parts.registry, tls);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    if (request.method !== 'GET' && request.method !== 'HEAD') return send(response, readOnly);
    if (await health(request, response)) return;
    if (tls?.clientCa && !isVerified(request)) return send(response, unknown);
    const [path = '/', query] = (request.url ?? '/').split('?', 2);
    if (parts.files.answer(path, request, response)) return;
    if (path === '/api/live') return watch(parts, request, response);
    send(response, (await answerApi(parts.api, path, new URLSearchParams(query))) ?? absent);
  };
  const server = createWebServer(tls, 'asked', { requestTimeout: 10_000, headersTimeout: 10_000 });
  server.on('request', (request, response) => {
    answer(request, response).catch((error: unknown) => {
      parts.onFault(error);
      if (response.headersSent) response.destroy();
      else send(response, { status: 500, body: { error: 'INTERNAL', message: 'a fault of the console' } });
    });
  });
  const port = await listen(server, parts.host, parts.port, parts.portKey);
  return { port, close: () => closeServer(server) };
}

function watch(
  { viewers, snapshot }: ConsoleParts,
  { method, socket }: IncomingMessage,
  response: ServerResponse,
): void {
  const address = networkOf(socket.remoteAddress ?? '');
  const no = viewers.whyNoPlace(address);
  if (no !== null) send(response, no === 'none' ? busy : busyForAddress);
  // Nothing follows a head: it looks at nothing, and takes nobody's place.
  else if (method === 'HEAD') response.writeHead(200, streamHeaders).end();
  else viewers.add(response, snapshot(), address);
}
