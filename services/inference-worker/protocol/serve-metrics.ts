import { createServer } from 'node:http';
import type { Registry } from 'prom-client';
import { closeServer, listen } from '#lib/health';

export interface MetricsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** GET /metrics on Triton's usual port, in Prometheus' text format. */
export async function serveMetrics(
  registry: Registry,
  { bind, port }: { readonly bind: string; readonly port: number },
): Promise<MetricsServer> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000 }, (request, response) => {
    const isMetrics = request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics';
    if (!isMetrics) {
      response.writeHead(404, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ error: 'only GET /metrics' }));
    }
    registry.metrics().then(
      (text) => {
        response.writeHead(200, { 'content-type': registry.contentType });
        response.end(text);
      },
      () => response.writeHead(500).end(),
    );
  });
  server.maxConnections = 100;
  return { port: await listen(server, bind, port), close: () => closeServer(server) };
}
