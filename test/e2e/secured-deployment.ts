import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, Metadata, status, type ServiceError } from '@grpc/grpc-js';
import { readInvocation } from '#launcher/api-keys/arguments';
import { carryOut } from '#launcher/api-keys/change-file';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import { toolchainPath } from '#launcher/toolchain';
import { asIs } from '#lib/opaque-method';
import { projectPath } from '#schemas/project-root';
import { Authority, type Issued } from '../support/certificates';
import { hasProgram } from '../support/has-program';
import { IdentityProvider, issuer } from '../support/identity-provider';
import { courier, order } from '../support/round-body';
import { startSecureServers, type SecureServers } from '../support/secure-servers';

export const passwords = {
  ingest: 'ingest-9f2c61',
  worker: 'worker-77ab10',
  aggregator: 'aggregator-c0ffee',
  ops: 'ops-5ca1ab1e',
} as const;
export type User = keyof typeof passwords;
const users = Object.keys(passwords) as User[];

export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Why it can't be started here; null where it can. */
export function whyNotSecured(): string | null {
  if (!hasProgram('openssl')) return 'openssl makes its certificates, and is not here';
  if (existsSync(toolchainPath(process.env, 'redis-tls', 'redis-server'))) return null;
  const reason = projectPath('.roundhouse', 'redis-tls-missing.txt');
  return existsSync(reason) ? readFileSync(reason, 'utf8') : 'run "npm run setup -- redis-tls"';
}

/** The documented file, as text. */
function documented(): Record<string, string> {
  const lines = readFileSync(projectPath('ops', 'secure.env'), 'utf8').split('\n');
  const pairs = lines.filter((line) => /^[A-Z]/.test(line)).map((line) => line.split(/=(.*)/s).slice(0, 2));
  return Object.fromEntries(pairs) as Record<string, string>;
}

interface Parts {
  readonly folder: string;
  readonly authority: Authority;
  readonly servers: SecureServers;
  readonly pipeline: Pipeline;
}

/** A pipeline with ops/secure.env, its broker, its Redis, and callers of it. */
export class SecuredDeployment {
  readonly keys: Readonly<Record<'acme' | 'other' | 'small' | 'narrow' | 'models' | 'acmeRead', string>>;
  readonly producer: Issued;
  readonly tokens: IdentityProvider;
  /** A certificate of another authority. */
  readonly stranger: Issued;

  private constructor(
    private readonly parts: Parts,
    callers: Pick<SecuredDeployment, 'keys' | 'producer' | 'stranger' | 'tokens'>,
  ) {
    this.keys = callers.keys;
    this.producer = callers.producer;
    this.stranger = callers.stranger;
    this.tokens = callers.tokens;
  }

  static async start(): Promise<SecuredDeployment> {
    const folder = mkdtempSync(join(tmpdir(), 'roundhouse-secured-'));
    for (const name of ['tls', 'secrets', 'theirs']) mkdirSync(join(folder, name));
    const authority = new Authority(join(folder, 'tls'));
    authority.issue('service');
    const producer = authority.issue('producer');
    const stranger = new Authority(join(folder, 'theirs')).issue('producer');
    for (const user of users)
      writeFileSync(join(folder, 'secrets', user), `${passwords[user]}\n`, { mode: 0o600 });
    const tokens = await IdentityProvider.start(join(folder, 'secrets', 'jwks.json'));
    const keys = makeKeys(join(folder, 'secrets', 'access.json'));
    const servers = await startSecureServers({ folder, authority, passwords });
    const { kafkaBrokers, redisUrl } = servers;
    const serviceEnv = Object.fromEntries(users.map((user) => [user, settingsOf(folder, user, servers)]));
    const counts = { ops: 1 };
    const pipeline = await startPipeline({
      inheritedEnv: process.env,
      kafkaBrokers,
      redisUrl,
      serviceEnv,
      counts,
    });
    return new SecuredDeployment(
      { folder, authority, servers, pipeline },
      { keys, producer, stranger, tokens },
    );
  }

  get pipeline(): Pipeline {
    return this.parts.pipeline;
  }

  get ca(): Buffer {
    return readFileSync(this.parts.authority.certificate);
  }

  path(...names: string[]): string {
    return join(this.parts.folder, ...names);
  }

  settings(user: User): Record<string, string> {
    return settingsOf(this.parts.folder, user, this.parts.servers);
  }

  auditLines(): Record<string, string>[] {
    const lines = readFileSync(this.path('audit.jsonl'), 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Record<string, string>);
  }

  call(path: string, options: RequestOptions, body?: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const url = new URL(path, this.pipeline.ingestUrl);
      const sent = httpsRequest(url, { ca: this.ca, ...options }, (answer) => {
        const { statusCode = 0, headers } = answer;
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () => resolve({ status: statusCode, body: text, headers }));
      });
      sent.on('error', reject).end(body);
    });
  }

  /** What the console shows of the services; null before its first look at them. */
  consoleServices(): Promise<readonly { readonly name: string; readonly state: string }[] | null> {
    return new Promise((resolve, reject) => {
      const url = new URL('/api/live', this.pipeline.consoleUrl);
      const sent = httpsRequest(url, { ca: this.ca, ...pairOf(this.producer) }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
          const [, shown] = /^event: snapshot\ndata: (.*)\n\n/m.exec(text) ?? [];
          if (shown === undefined) return;
          sent.destroy();
          resolve((JSON.parse(shown) as { services: { name: string; state: string }[] }).services);
        });
        answer.on('close', () => resolve(null));
      });
      sent.on('error', reject).end();
    });
  }

  /** With the producer's certificate. */
  as(credential: string | null, more: Record<string, string> = {}): RequestOptions {
    const headers = { ...(credential !== null && { authorization: `Bearer ${credential}` }), ...more };
    return { ...pairOf(this.producer), headers };
  }

  submit(options: RequestOptions, roundId: string, more: object = {}): Promise<Reply> {
    const orders = [order('a', { dropoff: { point: { x: 13.418_273_64, y: 52.519_182_73 } } })];
    const round = { roundId, deadline: Date.now() + 20_000, couriers: [courier('k')], orders, ...more };
    return this.call('/v1/rounds', { ...options, method: 'POST' }, JSON.stringify(round));
  }

  decision(options: RequestOptions, roundId: string, waitMs = 0): Promise<Reply> {
    return this.call(`/v1/runs/live/rounds/${roundId}/decision?waitMs=${waitMs}`, options);
  }

  /** Of one call; null: without a certificate. */
  grpcStatus(
    address: string,
    path: string,
    by: Issued | null,
    body = Buffer.alloc(0),
    credential?: string,
  ): Promise<number> {
    const metadata = new Metadata();
    if (credential !== undefined) metadata.set('authorization', `Bearer ${credential}`);
    const pair = by === null ? [] : [readFileSync(by.key), readFileSync(by.certificate)];
    const client = new Client(address, credentials.createSsl(this.ca, ...pair));
    const options = { deadline: Date.now() + 5_000 };
    return new Promise((resolve) => {
      client.makeUnaryRequest(path, asIs, asIs, body, metadata, options, (error: ServiceError | null) => {
        client.close();
        resolve(error?.code ?? status.OK);
      });
    });
  }

  /** A stream of decisions: resolves when it is open or refused, to what it ends with. */
  watchDecisions(credential: string): Promise<{ readonly end: Promise<number>; cancel(): void }> {
    const pair = [readFileSync(this.producer.key), readFileSync(this.producer.certificate)] as const;
    const client = new Client(this.pipeline.ingestGrpc, credentials.createSsl(this.ca, ...pair));
    const metadata = new Metadata();
    metadata.set('authorization', `Bearer ${credential}`);
    const path = '/roundhouse.v1.Dispatch/WatchDecisions';
    const stream = client.makeServerStreamRequest(path, asIs, asIs, Buffer.alloc(0), metadata);
    const end = new Promise<number>((resolve) => {
      stream.on('error', () => undefined);
      stream.on('status', ({ code }: { code: number }) => {
        client.close();
        resolve(code);
      });
    });
    stream.resume();
    const opened = { end, cancel: () => stream.cancel() };
    return new Promise((resolve) => {
      stream.once('metadata', () => resolve(opened));
      void end.then(() => resolve(opened));
    });
  }

  async stop(): Promise<void> {
    await this.parts.pipeline.stop();
    await this.parts.servers.stop();
    rmSync(this.parts.folder, { recursive: true, force: true });
  }
}

function settingsOf(folder: string, user: User, servers: SecureServers): Record<string, string> {
  const here = Object.entries(documented()).map(([key, value]) => [
    key,
    value
      .replace(/\/etc\/roundhouse\/secrets\/(kafka|redis)-password/, join(folder, 'secrets', user))
      .replace('/etc/roundhouse', folder)
      .replace('/var/lib/roundhouse', folder)
      .replace('kafka.internal:9093', servers.kafkaBrokers)
      .replace('rediss://redis.internal:6380', servers.redisUrl),
  ]);
  const named = { ROUNDHOUSE_KAFKA_USER: user, ROUNDHOUSE_REDIS_USER: user, ROUNDHOUSE_LOG_LEVEL: 'trace' };
  const tokens = {
    ROUNDHOUSE_INGEST_JWT_KEYS: join(folder, 'secrets', 'jwks.json'),
    ROUNDHOUSE_INGEST_JWT_ISSUER: issuer,
  };
  return { ...(Object.fromEntries(here) as Record<string, string>), ...named, ...tokens };
}

function makeKeys(file: string): SecuredDeployment['keys'] {
  const small = { roundsPerMinute: 2, bytesPerMinute: 100_000 };
  const narrow = { candidatesPerMinute: 1, streams: 1, waits: 1 };
  writeFileSync(file, JSON.stringify({ quotas: { small, narrow } }));
  const make = (...words: string[]) => carryOut(readInvocation(['new', ...words, '--file', file]));
  return {
    acme: make('--id', 'acme-1', '--tenant', 'acme'),
    other: make('--id', 'other-1', '--tenant', 'other'),
    small: make('--id', 'small-1', '--tenant', 'small'),
    narrow: make('--id', 'narrow-1', '--tenant', 'narrow'),
    models: make('--id', 'models-1', '--tenant', 'ml', '--scopes', 'models:read,models:admin'),
    acmeRead: make('--id', 'acme-read', '--tenant', 'acme', '--scopes', 'decisions:read'),
  };
}

export const pairOf = ({ certificate, key }: Issued) => ({
  cert: readFileSync(certificate),
  key: readFileSync(key),
});
