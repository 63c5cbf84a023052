import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { promisify } from 'node:util';
import { projectPath } from '#schemas/project-root';
import { Authority } from '../support/certificates';

jest.setTimeout(60_000);

const report = { kind: 'hang', role: 'active', at: '2026-01-01T00:00:00.000Z', reaction: 'restart' };
const answers: Readonly<Record<string, string>> = {
  '/readyz': '{"ready":true}',
  '/metrics': 'dispatch_engine_pid{service="inference-worker"} 7\n',
  '/status': '{"engines":[],"incidents":[]}',
  '/incidents/i1': JSON.stringify(report),
  '/last-words': '{"exitCode":3,"words":"enough"}',
};

let folder: string;
let authority: Authority;
let server: Server;
let asked: string[];
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'roundhouse-ops-tls-'));
  authority = new Authority(folder);
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

async function serve(subjects: string): Promise<number> {
  const { certificate, key } = authority.issue('worker', subjects);
  asked = [];
  const files = { cert: readFileSync(certificate), key: readFileSync(key) };
  server = createServer(files, (request, response) => {
    const { servername } = request.socket as TLSSocket & { servername: string | false };
    asked.push(`${request.url} ${request.headers.host} ${servername}`);
    response.end(answers[request.url!]);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

interface Seen {
  readonly look: { readonly fault: string | null };
  readonly report: unknown;
  readonly farewell: unknown;
}

async function lookAt(target: string): Promise<Seen> {
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority.certificate };
  const script = projectPath('test', 'fixtures', 'ops-look.js');
  const { stdout } = await promisify(execFile)(process.execPath, [script, target], { env });
  return JSON.parse(stdout) as Seen;
}

test('every pod behind a name is asked over TLS by that name: its certificate has no address', async () => {
  const port = await serve('DNS:localhost');
  const seen = await lookAt(`dns+https://localhost:${port}`);
  expect(seen).toMatchObject({
    look: { fault: null, instance: { name: 'worker@127.0.0.1', url: `https://127.0.0.1:${port}` } },
    report,
    farewell: { exitCode: 3, words: 'enough' },
  });
  expect(asked.sort()).toEqual(
    Object.keys(answers)
      .sort()
      .map((path) => `${path} localhost:${port} localhost`),
  );
});

test('a certificate of another name is refused, whatever address has it', async () => {
  const port = await serve('DNS:elsewhere,IP:127.0.0.1');
  const { look, report: none, farewell } = await lookAt(`dns+https://localhost:${port}`);
  expect(look.fault).toMatch(/does not match certificate's altnames/);
  expect([String(none), farewell]).toEqual([expect.stringMatching(/altnames/), null]);
  expect(asked).toEqual([]);
});
