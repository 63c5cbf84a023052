import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Client, credentials, status, type ServiceError } from '@grpc/grpc-js';
import { pino } from 'pino';
import { connectBus } from '#lib/bus/kafka';
import { kafkaAccess } from '#lib/bus/kafka-security';
import { kafkaSettings } from '#lib/bus/kafka-settings';
import { loadConfig } from '#lib/config';
import { createRedis } from '#lib/redis';
import { redisAccess } from '#lib/redis-security';
import { redisSettings } from '#lib/redis-settings';
import { carryOut } from '#launcher/api-keys/change-file';
import { readInvocation } from '#launcher/api-keys/arguments';
import { startPipeline, type Pipeline } from '#launcher/pipeline';
import { toolchainPath } from '#launcher/toolchain';
import { projectPath } from '#schemas/project-root';
import { Authority, type Issued } from '../support/certificates';
import { hasProgram } from '../support/has-program';
import { courier, order } from '../support/round-body';
import { mainFileOf, runToItsEnd } from '../support/run-service';
import { until } from '../support/until';
import { startSecureServers, type SecureServers } from '../support/secure-servers';

function whyNot(): string | null {
  if (!hasProgram('openssl')) return 'openssl makes its certificates, and is not here';
  if (existsSync(toolchainPath(process.env, 'redis-tls', 'redis-server'))) return null;
  const reason = projectPath('.roundhouse', 'redis-tls-missing.txt');
  return existsSync(reason) ? readFileSync(reason, 'utf8') : 'run "npm run setup -- redis-tls"';
}

const whySkipped = whyNot();
if (whySkipped !== null) console.warn(`the secured pipeline is not tested: ${whySkipped}`);
const describeSecured: typeof describe.skip = whySkipped === null ? describe : describe.skip;

const passwords = {
  ingest: 'ingest-9f2c61',
  worker: 'worker-77ab10',
  aggregator: 'aggregator-c0ffee',
} as const;
type User = keyof typeof passwords;
const users = Object.keys(passwords) as User[];

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-secured-'));
const place = (...parts: string[]): string => join(folder, ...parts);

/** The documented file with this test's places. */
function settingsOf(user: User, { kafkaBrokers, redisUrl }: SecureServers): Record<string, string> {
  const text = readFileSync(projectPath('ops', 'secure.env'), 'utf8');
  const lines = text.split('\n').filter((line) => /^[A-Z]/.test(line));
  const documented = Object.fromEntries(lines.map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const here = Object.entries(documented as Record<string, string>).map(([key, value]) => [
    key,
    value
      .replace('/etc/roundhouse/secrets/kafka-password', place('secrets', user))
      .replace('/etc/roundhouse/secrets/redis-password', place('secrets', user))
      .replace('/etc/roundhouse', folder)
      .replace('/var/lib/roundhouse', folder)
      .replace('kafka.internal:9093', kafkaBrokers)
      .replace('rediss://redis.internal:6380', redisUrl),
  ]);
  const named = { ROUNDHOUSE_KAFKA_USER: user, ROUNDHOUSE_REDIS_USER: user, ROUNDHOUSE_LOG_LEVEL: 'trace' };
  return {
    ...(Object.fromEntries(here) as Record<string, string>),
    ...named,
    ROUNDHOUSE_WORKER_PEER_PORT: '0',
  };
}

interface Reply {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

describeSecured('a pipeline with ops/secure.env, a broker with ACLs and a Redis with users', () => {
  let servers: SecureServers;
  let pipeline: Pipeline;
  let authority: Authority;
  let producer: Issued;
  let stranger: Issued;
  let key = '';
  let otherKey = '';
  let smallKey = '';
  let readKey = '';

  beforeAll(async () => {
    for (const name of ['tls', 'secrets']) mkdirSync(place(name));
    authority = new Authority(place('tls'));
    authority.issue('service');
    producer = authority.issue('producer');
    mkdirSync(place('theirs'));
    stranger = new Authority(place('theirs')).issue('producer');
    for (const user of users) writeFileSync(place('secrets', user), `${passwords[user]}\n`, { mode: 0o600 });
    const access = ['--file', place('secrets', 'access.json')];
    const small = { roundsPerMinute: 2, bytesPerMinute: 100_000 };
    writeFileSync(access[1]!, JSON.stringify({ quotas: { small } }));
    const make = (...words: string[]) => carryOut(readInvocation(['new', ...words, ...access]));
    key = make('--id', 'acme-1', '--tenant', 'acme');
    otherKey = make('--id', 'other-1', '--tenant', 'other');
    smallKey = make('--id', 'small-1', '--tenant', 'small');
    readKey = make('--id', 'acme-read', '--tenant', 'acme', '--scopes', 'decisions:read');
    servers = await startSecureServers({ folder, authority, passwords });
    const { kafkaBrokers, redisUrl } = servers;
    const serviceEnv = Object.fromEntries(users.map((user) => [user, settingsOf(user, servers)]));
    pipeline = await startPipeline({ inheritedEnv: process.env, kafkaBrokers, redisUrl, serviceEnv });
  }, 180_000);

  afterAll(async () => {
    await pipeline?.stop();
    await servers?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const ca = () => readFileSync(authority.certificate);
  const pairOf = ({ certificate, key: file }: Issued) => ({
    cert: readFileSync(certificate),
    key: readFileSync(file),
  });

  function call(path: string, options: RequestOptions, body?: string): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const sent = httpsRequest(new URL(path, pipeline.ingestUrl), { ca: ca(), ...options }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => (text += part));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, body: text, headers: answer.headers }),
        );
      });
      sent.on('error', reject).end(body);
    });
  }

  const as = (credential: string | null, more: Record<string, string> = {}): RequestOptions => ({
    ...pairOf(producer),
    headers: { ...(credential !== null && { authorization: `Bearer ${credential}` }), ...more },
  });

  const submit = (options: RequestOptions, roundId: string, more: object = {}) =>
    call(
      '/v1/rounds',
      { ...options, method: 'POST' },
      JSON.stringify({
        roundId,
        deadline: Date.now() + 20_000,
        couriers: [courier('k')],
        orders: [order('a', { dropoff: { point: { x: 13.418_273_64, y: 52.519_182_73 } } })],
        ...more,
      }),
    );

  const decision = (options: RequestOptions, roundId: string, waitMs = 0) =>
    call(`/v1/runs/live/rounds/${roundId}/decision?waitMs=${waitMs}`, options);

  test('a round of a tenant is decided, for this tenant alone', async () => {
    expect(await submit(as(key), 'r1')).toMatchObject({
      status: 202,
      body: expect.stringContaining('"acme"'),
    });
    const decided = await decision(as(readKey), 'r1', 20_000);
    expect(decided.status).toBe(200);
    expect(JSON.parse(decided.body)).toMatchObject({ tenantId: 'acme', content: { coverage: 1 } });
    expect(await decision(as(otherKey), 'r1')).toMatchObject({ status: 404 });
    const asAcme = { 'x-roundhouse-tenant': 'acme' };
    expect(await decision(as(otherKey, asAcme), 'r1')).toMatchObject({ status: 403 });
    // The same ids are another round of another tenant.
    expect(await submit(as(otherKey), 'r1')).toMatchObject({
      status: 202,
      body: expect.stringContaining('"other"'),
    });
  }, 60_000);

  test('without a credential, with a wrong one, without the scope or for another tenant nothing is accepted', async () => {
    const nobody = await submit(as(null), 'r2');
    expect(nobody).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': expect.stringContaining('Bearer') },
    });
    expect((await submit(as(`${key.slice(0, -1)}_`), 'r2')).body).toBe(nobody.body);
    expect(await submit(as(readKey), 'r2')).toMatchObject({ status: 403 });
    expect(await submit(as(key), 'r2', { tenantId: 'other' })).toMatchObject({ status: 400 });
    expect(await decision(as(key), 'r2')).toMatchObject({ status: 404 });
  }, 30_000);

  test('a caller without a certificate of the authority gets health and nothing else', async () => {
    expect(await call('/readyz', {})).toMatchObject({ status: 200 });
    const headers = { authorization: `Bearer ${key}` };
    expect(await decision({ headers }, 'r1')).toMatchObject({ status: 401 });
    expect(await decision({ headers, ...pairOf(stranger) }, 'r1')).toMatchObject({ status: 401 });
  }, 30_000);

  test('a tenant has its rounds a minute, at whatever ingest, and is told when there is room again', async () => {
    const replies: Reply[] = [];
    for (const round of ['q1', 'q2', 'q3']) replies.push(await submit(as(smallKey), round));
    expect(replies.map((reply) => reply.status)).toEqual([202, 202, 429]);
    // Two of a minute have been taken: one flows off in 30 s.
    const after = Number(replies[2]!.headers['retry-after']);
    expect(after).toBeGreaterThan(0);
    expect(after).toBeLessThanOrEqual(30);
    expect(await submit(as(key), 'q4')).toMatchObject({ status: 202 });
    const large = await submit(as(smallKey), 'q5', { zoneId: 'z', more: 'x'.repeat(100_000) });
    expect(large).toMatchObject({ status: 413 });
  }, 30_000);

  test('a key that is revoked is refused without a restart, and the change is audited', async () => {
    carryOut(readInvocation(['revoke', '--id', 'small-1', '--file', place('secrets', 'access.json')]));
    const isRefused = async () => (await decision(as(smallKey), 'q1')).status === 401;
    await until(isRefused, 'the revoked key is refused');
    expect(readFileSync(place('audit.jsonl'), 'utf8')).toContain('"action":"access.changed"');
    expect(await decision(as(readKey), 'r1')).toMatchObject({ status: 200 });
  }, 30_000);

  test('loads and unloads of models are audited with the caller’s certificate', async () => {
    const load = '/inference.GRPCInferenceService/RepositoryModelLoad';
    const nowhere = Buffer.from([0x12, 6, ...Buffer.from('no-one')]); // field 2, model_name
    expect(await grpcStatus(pipeline.workerGrpc, load, producer, nowhere)).not.toBe(status.OK);
    const lines = readFileSync(place('audit.jsonl'), 'utf8').trimEnd().split('\n');
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({
      action: 'model.load',
      actor: 'certificate:producer',
      subject: 'no-one',
      outcome: 'failed',
    });
  }, 30_000);

  function grpcStatus(
    address: string,
    path: string,
    by: Issued | null,
    body = Buffer.alloc(0),
  ): Promise<number> {
    const channel = by
      ? credentials.createSsl(ca(), readFileSync(by.key), readFileSync(by.certificate))
      : credentials.createSsl(ca());
    const client = new Client(address, channel);
    const same = (bytes: Buffer): Buffer => bytes;
    return new Promise((resolve) => {
      const deadline = Date.now() + 5_000;
      client.makeUnaryRequest(path, same, same, body, { deadline }, (error: ServiceError | null) => {
        client.close();
        resolve(error?.code ?? status.OK);
      });
    });
  }

  test('gRPC is mutual TLS on every port, and asks producers for their key beside it', async () => {
    const live = '/inference.GRPCInferenceService/ServerLive';
    expect(await grpcStatus(pipeline.workerGrpc, live, producer)).toBe(status.OK);
    for (const by of [null, stranger]) {
      expect(await grpcStatus(pipeline.workerGrpc, live, by)).not.toBe(status.OK);
      expect(await grpcStatus(pipeline.ingestGrpc, '/grpc.health.v1.Health/Check', by)).not.toBe(status.OK);
    }
    expect(await grpcStatus(pipeline.ingestGrpc, '/grpc.health.v1.Health/Check', producer)).toBe(status.OK);
    const refused = await grpcStatus(pipeline.ingestGrpc, '/roundhouse.v1.Dispatch/SubmitRound', producer);
    expect(refused).toBe(status.UNAUTHENTICATED);
  }, 60_000);

  test('a plain connection and TLS 1.1 are refused', async () => {
    const plain = pipeline.ingestUrl.replace('https:', 'http:');
    await expect(fetch(`${plain}/livez`)).rejects.toThrow();
    const { hostname: host, port } = new URL(pipeline.ingestUrl);
    const old = { host, port: Number(port), ca: ca(), minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
    const outcome = await new Promise((resolve) => {
      const socket = connectTls(old, () => resolve('connected'));
      socket.once('error', () => resolve('refused'));
    });
    expect(outcome).toBe('refused');
  }, 30_000);

  test('the broker takes from each user what its service needs, and no more', async () => {
    const busOf = (user: User) => {
      const config = loadConfig(settingsOf(user, servers), kafkaSettings);
      return connectBus({ ...kafkaAccess(config), clientId: 'test', logger: pino({ level: 'silent' }) });
    };
    const worker = busOf('worker');
    const handle = () => undefined;
    await expect(
      worker.readRange({ topic: 'dispatch.decisions', from: 'earliest', handle, stallTimeoutMs: 1_000 }),
    ).rejects.toThrow();
    const producing = await worker.producer({ deliveryTimeoutMs: 3_000 });
    const forged = { topic: 'dispatch.decisions', key: null, value: Buffer.from('forged') };
    await expect(producing.send([forged])).rejects.toThrow();
    await worker.close();
  }, 60_000);

  test('Redis takes from each user what its service needs, and no more', async () => {
    const config = loadConfig(settingsOf('ingest', servers), redisSettings);
    const redis = createRedis({ ...redisAccess(config), name: 'test', logger: pino({ level: 'silent' }) });
    await redis.connect();
    await expect(redis.get('aggregator:epoch')).rejects.toThrow(/NOPERM/);
    await expect(redis.flushall()).rejects.toThrow(/NOPERM/);
    await expect(redis.config('GET', '*')).rejects.toThrow(/NOPERM/);
    redis.disconnect();
  }, 30_000);

  test('the engine runs without privileges, without TCP and without secrets', () => {
    const [pid] = pipeline.enginePids();
    const threads = readdirSync(`/proc/${pid}/task`);
    for (const thread of threads) {
      const text = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
      expect(text).toMatch(/^NoNewPrivs:\s1$/m);
      expect(text).toMatch(/^Seccomp:\s2$/m);
      expect(text).toMatch(/^CapEff:\s0+$/m);
    }
    expect(threads.length).toBeGreaterThan(5);
    const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
    expect(environment).not.toMatch(/KAFKA|REDIS|TLS_KEY|INGEST_ACCESS/);
    expect(internetSockets(pid!)).toEqual([]);
  });

  test('no log, answer or audit line has a secret or a coordinate; the audit log has who was refused', () => {
    const logs = [
      ...readdirSync(pipeline.logs).map((name) => join(pipeline.logs, name)),
      place('audit.jsonl'),
    ];
    const secrets = [...Object.values(passwords), ...[key, otherKey, readKey].map((text) => text.slice(-43))];
    for (const file of logs) {
      const text = readFileSync(file, 'utf8');
      for (const secret of secrets) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/13\.41827|52\.51918|PRIVATE KEY/);
    }
    const audit = readFileSync(place('audit.jsonl'), 'utf8').trimEnd().split('\n');
    const entries = audit.map((line) => JSON.parse(line) as Record<string, string>);
    expect(entries.map(({ actor, reason }) => `${actor} ${reason}`)).toEqual(
      expect.arrayContaining([
        'anyone absent',
        'anyone unknown',
        'key:acme-read scope',
        'key:other-1 tenant',
      ]),
    );
  });

  test('a wrong password ends a service with 3 and the reason, without the password', async () => {
    writeFileSync(place('secrets', 'wrong'), 'not-the-password');
    const env = {
      ...settingsOf('ingest', servers),
      ROUNDHOUSE_KAFKA_PASSWORD_FILE: place('secrets', 'wrong'),
      ROUNDHOUSE_STARTUP_TIMEOUT_MS: '3000',
      ROUNDHOUSE_INGEST_HTTP_PORT: '0',
      ROUNDHOUSE_INGEST_GRPC_PORT: '0',
    };
    expect(existsSync(mainFileOf('ingest'))).toBe(true);
    const { code, output } = await runToItsEnd('ingest', env);
    expect(code).toBe(3);
    expect(output).toMatch(/SASL|[Aa]uthentication/);
    expect(output).not.toContain('not-the-password');
  }, 60_000);
});

/** Sockets of the process that are of TCP or UDP, by their inodes. */
function internetSockets(pid: number): string[] {
  const inodes = ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/)[9]),
  );
  const links = execFileSync('ls', ['-l', `/proc/${pid}/fd`]).toString();
  return [...links.matchAll(/socket:\[(\d+)\]/g)]
    .map(([, inode]) => inode!)
    .filter((one) => inodes.includes(one));
}
