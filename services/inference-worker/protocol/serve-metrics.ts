import { answerScrape, closeServer, listen } from '#lib/health';
import { createWebServer, type ServerTls } from '#lib/server-tls';
import type { MetricsRegistry } from '#lib/metrics/registry';

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** GET /metrics on Triton's usual port, in the format that the scraper asks for. */
export async function serveMetrics(
  registry: MetricsRegistry,
  {
    bind,
    port,
    portKey,
    tls = null,
  }: {
    readonly bind: string;
    readonly port: number;
    /** The variable that names it. */
    readonly portKey?: string;
    readonly tls?: ServerTls | null;
  },
): Promise<MetricsServer> {
  const server = createWebServer(tls, 'none', { requestTimeout: 10_000, headersTimeout: 10_000 });
  server.on('request', (request, response) => {
    const isMetrics = request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics';
    if (!isMetrics) {
      response.writeHead(404, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ error: 'only GET /metrics' }));
    }
    answerScrape(registry, request, response).catch(() => response.writeHead(500).end());
  });
  server.maxConnections = 100;
  return { port: await listen(server, bind, port, portKey), close: () => closeServer(server) };
}
