import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { lastWords } from './last-words';
import { addressOf, listenFault } from './listen-fault';
import type { Family } from './metrics/family';
import { gaugeFamily, type MetricsRegistry } from './metrics/registry';
import { createWebServer, watchCertificate, type ServerTls } from './server-tls';
import { within } from './within';

/** null when ready, else the reason. */
export type ReadinessCheck = () => string | null | Promise<string | null>;
export type ReadinessChecks = Readonly<Record<string, ReadinessCheck>>;

const checkTimeoutMs = 2_000;
const longestLookMs = 30;
/** Who looks every ten seconds needs no new connection each time. */
const keepAliveTimeout = 15_000;

async function runCheck(check: ReadinessCheck): Promise<string | null> {
  try {
    const late = () => new Error(`no answer in ${checkTimeoutMs} ms`);
    return await within(checkTimeoutMs, Promise.resolve(check()), late);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The reasons why a process is not ready, by check; empty when it is. */
export async function readinessReasons(checks: ReadinessChecks): Promise<Record<string, string>> {
  const names = Object.keys(checks);
  const results = await Promise.all(names.map((name) => runCheck(checks[name]!)));
  const reasons = names.flatMap((name, i) => (results[i] === null ? [] : [[name, results[i]!] as const]));
  return Object.fromEntries(reasons);
}

/** Of the last look; a scrape begins the next one and doesn't wait long for it. */
class ReadyGauge {
  private reasons: Record<string, string> | null = null;

  constructor(private readonly checks: ReadinessChecks) {}

  async families(): Promise<readonly Family[]> {
    const look = readinessReasons(this.checks).then((reasons) => void (this.reasons = reasons));
    await Promise.race([look, sleep(longestLookMs, undefined, { ref: false })]);
    const { reasons } = this;
    const values = Object.keys(this.checks).map((check) => {
      const passes = reasons !== null && reasons[check] === undefined;
      return { labels: { check }, value: Number(passes) };
    });
    return [gaugeFamily('dispatch_ready', '1 while the check of /readyz passes.', values)];
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

export interface HealthOptions {
  readonly registry: MetricsRegistry;
  readonly checks: ReadinessChecks;
  /** What is wrong and doesn't keep the process from being ready; shown beside the answer of /readyz. */
  readonly warnings?: ReadinessChecks;
}

async function readyz({ checks, warnings = {} }: HealthOptions): Promise<[status: number, body: object]> {
  const [reasons, warned] = await Promise.all([readinessReasons(checks), readinessReasons(warnings)]);
  const more = Object.keys(warned).length === 0 ? {} : { warnings: warned };
  const ready = Object.keys(reasons).length === 0;
  return ready ? [200, { ready, ...more }] : [503, { ready, reasons, ...more }];
}

export async function answerScrape(
  registry: MetricsRegistry,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { contentType, body } = await registry.scrape(request.headers.accept);
  response.writeHead(200, { 'content-type': contentType });
  response.end(body);
}

/**
 * Answers GET /livez (200 while the event loop turns), /readyz (200, or 503 with the reasons by check), /metrics, and
 * /last-words (when the process ends). Resolves to false for any other path, which is then the caller's.
 */
export function healthRoutes(
  options: HealthOptions,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  const { registry } = options;
  const ready = new ReadyGauge(options.checks);
  registry.addSource(() => ready.families());
  return async (request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0];
    if (path === '/livez') sendJson(response, 200, { live: true });
    else if (path === '/readyz') {
      sendJson(response, ...(await readyz(options)));
    } else if (path === '/metrics') {
      await answerScrape(registry, request, response);
    } else if (path === '/last-words') lastWords.listen(request, response);
    else return false;
    return true;
  };
}

/**
 * Listens and resolves to the port; rejects with PORT_IN_USE, or CONFIG_INVALID where we can't listen there. `portKey`:
 * the variable that names the port.
 */
export function listen(
  server: Server,
  host: string,
  port: number,
  portKey: string | null = null,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void =>
      reject(listenFault(addressOf(host, port), error.code ?? error.message, portKey, error));
    server.once('error', onError);
    server.listen(port, host, () => {
      server.removeListener('error', onError);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** Stops accepting, lets running requests end for at most `graceMs`, then cuts them. */
export function closeServer(server: Server, graceMs = 2_000): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

const whatIsServed = 'only GET /livez, /readyz, /metrics and /last-words';

export interface HealthServerOptions extends HealthOptions {
  readonly host: string;
  readonly port: number;
  /** The variable that names it. */
  readonly portKey?: string;
  /** null or absent: in the clear. */
  readonly tls?: ServerTls | null;
  /** What else there is to read, as JSON; undefined for a path that there isn't. */
  readonly more?: (path: string) => object | undefined;
}

export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const routes = healthRoutes(options);
  watchCertificate(options.registry, options.tls ?? null);
  const server = createWebServer(options.tls ?? null, 'none', { keepAliveTimeout });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    routes(request, response).then(
      (answered) => {
        if (answered) return;
        const found = request.method === 'GET' ? options.more?.(request.url ?? '/') : undefined;
        if (found !== undefined) sendJson(response, 200, found);
        else sendJson(response, 404, { error: 'NOT_FOUND', message: whatIsServed });
      },
      (error: unknown) => sendJson(response, 500, { error: 'INTERNAL', message: String(error) }),
    );
  });
  const port = await listen(server, options.host, options.port, options.portKey);
  return { port, close: () => closeServer(server) };
}
