import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { status } from '@grpc/grpc-js';
import { pino } from 'pino';
import { connectBus } from '#lib/bus/kafka';
import { kafkaAccess } from '#lib/bus/kafka-security';
import { kafkaSettings } from '#lib/bus/kafka-settings';
import { loadConfig } from '#lib/config';
import { readInvocation } from '#launcher/api-keys/arguments';
import { carryOut } from '#launcher/api-keys/change-file';
import { projectPath } from '#schemas/project-root';
import { internetSockets } from '../support/internet-sockets';
import { runToItsEnd } from '../support/run-service';
import { until } from '../support/until';
import { getsInOncePutRight } from './password-put-right';
import { takesWhatIngestNeeds } from './redis-users';
import { testTenantLimits } from './secured-limits';
import { pairOf, passwords, SecuredDeployment, whyNotSecured, type User } from './secured-deployment';

const whySkipped = whyNotSecured();
if (whySkipped !== null) console.warn(`the secured pipeline is not tested: ${whySkipped}`);
const describeSecured: typeof describe.skip = whySkipped === null ? describe : describe.skip;

describeSecured('a pipeline with ops/secure.env, a broker with ACLs and a Redis with users', () => {
  let d: SecuredDeployment;
  beforeAll(async () => {
    d = await SecuredDeployment.start();
  }, 180_000);
  afterAll(() => d?.stop(), 60_000);

  test('a round of a tenant is decided, for this tenant alone', async () => {
    expect(await d.submit(d.as(d.keys.acme), 'r1')).toMatchObject({
      status: 202,
      body: expect.stringContaining('"acme"'),
    });
    const decided = await d.decision(d.as(d.keys.acmeRead), 'r1', 20_000);
    expect(decided.status).toBe(200);
    expect(JSON.parse(decided.body)).toMatchObject({ tenantId: 'acme', content: { coverage: 1 } });
    expect(await d.decision(d.as(d.keys.other), 'r1')).toMatchObject({ status: 404 });
    const asAcme = { 'x-roundhouse-tenant': 'acme' };
    expect(await d.decision(d.as(d.keys.other, asAcme), 'r1')).toMatchObject({ status: 403 });
    // The same ids are another round of another tenant.
    expect(await d.submit(d.as(d.keys.other), 'r1')).toMatchObject({
      status: 202,
      body: expect.stringContaining('"other"'),
    });
  }, 60_000);

  test('without a credential, with a wrong one, without the scope or for another tenant nothing is accepted', async () => {
    const nobody = await d.submit(d.as(null), 'r2');
    expect(nobody).toMatchObject({
      status: 401,
      headers: { 'www-authenticate': expect.stringContaining('Bearer') },
    });
    expect((await d.submit(d.as(`${d.keys.acme.slice(0, -1)}_`), 'r2')).body).toBe(nobody.body);
    expect(await d.submit(d.as(d.keys.acmeRead), 'r2')).toMatchObject({ status: 403 });
    expect(await d.submit(d.as(d.keys.acme), 'r2', { tenantId: 'other' })).toMatchObject({ status: 400 });
    expect(await d.decision(d.as(d.keys.acme), 'r2')).toMatchObject({ status: 404 });
  }, 30_000);

  test('a token of the identity provider stands for its tenant with its scopes, until it ends', async () => {
    const token = await d.tokens.token('acme', 'decisions:read');
    expect(await d.decision(d.as(token), 'r1')).toMatchObject({ status: 200 });
    expect(await d.submit(d.as(token), 'r3')).toMatchObject({ status: 403 });
    const other = await d.tokens.token('other', 'decisions:read rounds:write');
    expect(await d.decision(d.as(other, { 'x-roundhouse-tenant': 'acme' }), 'r1')).toMatchObject({
      status: 403,
    });
    const ended = await d.tokens.token('acme', 'decisions:read', '-1m');
    expect(await d.decision(d.as(ended), 'r1')).toMatchObject({ status: 401 });
  }, 30_000);

  test('every service answers probes over TLS, and a container asks itself', async () => {
    const ports = d.pipeline.processes().flatMap(({ ports: { http, metrics } }) => [http, metrics]);
    const served = ports.filter((port) => port !== undefined);
    expect(served).toHaveLength(5); // ingest, worker, aggregator, ops, and the worker's metrics
    for (const port of served) {
      const at = `https://127.0.0.1:${port}`;
      const { body } = await d.call(`${at}/metrics`, {});
      const [, end] = /^dispatch_tls_certificate_end_timestamp_seconds\{.*\} (\S+)$/m.exec(body) ?? [];
      expect(Number(end) * 1_000).toBeGreaterThan(Date.now()); // made for two days
    }
    const health = [projectPath('scripts', 'container-health.mjs'), String(served[0])];
    const asked = (env: object) =>
      spawnSync(process.execPath, health, { env: { ...process.env, ...env } }).status;
    expect([asked(d.settings('ingest')), asked({})]).toEqual([0, 1]);
  }, 30_000);

  test('services/ops sees lag and every service, and its page asks for a certificate', async () => {
    const ops = d.pipeline.consoleUrl;
    await until(async () => {
      const text = (await d.call(`${ops}/metrics`, {})).body;
      const lags = /^kafka_consumergroup_lag\{[^}]*consumergroup="inference-worker"/m.test(text);
      return lags && /^kafka_consumergroup_lag\{[^}]*consumergroup="aggregator-rounds"/m.test(text);
    }, 'ops knows the lag of both');
    const isReady = async (): Promise<boolean> => {
      const ready = (await d.consoleServices())?.filter(({ state }) => state === 'ready') ?? [];
      return ['ingest', 'worker', 'aggregator'].every((name) => ready.some((one) => one.name === name));
    };
    await until(isReady, 'ops has asked every service over TLS');
    expect(await d.call(`${ops}/`, {})).toMatchObject({ status: 401 });
    expect(await d.call(`${ops}/`, pairOf(d.stranger))).toMatchObject({ status: 401 });
    expect((await d.call(`${ops}/`, pairOf(d.producer))).status).not.toBe(401);
    const problems = () => d.call(`${ops}/api/problems`, pairOf(d.producer));
    await until(async () => (await problems()).body.includes('"forgets":null'), 'ops may write to Redis');
  }, 60_000);

  test('npm run models reaches a worker with a certificate and a key, and only so', () => {
    const url = ['--url', d.pipeline.workerGrpc];
    const run = (env: object) =>
      spawnSync(process.execPath, [projectPath('dist', 'launcher', 'models', 'main.js'), 'list', ...url], {
        env: { ...process.env, ...env },
        encoding: 'utf8',
      });
    const tls = {
      ROUNDHOUSE_CLIENT_TLS_CA: d.path('tls', 'ca.pem'),
      ROUNDHOUSE_CLIENT_TLS_CERT: d.producer.certificate,
      ROUNDHOUSE_CLIENT_TLS_KEY: d.producer.key,
    };
    const credential = { ROUNDHOUSE_CLIENT_CREDENTIAL: d.keys.models };
    const listed = { status: 0, stdout: expect.stringContaining('candidate_cost') };
    expect(run({ ...tls, ...credential })).toMatchObject(listed);
    expect(run(credential).status).not.toBe(0);
    expect(run(tls).status).not.toBe(0);
    expect(run({ ...tls, ROUNDHOUSE_CLIENT_CREDENTIAL: d.keys.acme }).status).not.toBe(0);
  }, 60_000);

  test('a caller without a certificate of the authority gets health and nothing else', async () => {
    const agent = new Agent({ keepAlive: false }); // each call resumes the session of the one before
    const headers = { authorization: `Bearer ${d.keys.acme}` };
    for (let i = 0; i < 3; i += 1) {
      expect(await d.call('/readyz', { agent })).toMatchObject({ status: 200 });
      expect(await d.decision({ agent, headers }, 'r1')).toMatchObject({ status: 401 });
    }
    expect(await d.decision({ headers, ...pairOf(d.stranger) }, 'r1')).toMatchObject({ status: 401 });
  }, 30_000);

  testTenantLimits(() => d);

  test('a key that is revoked is refused without a restart, and the change is audited', async () => {
    const [revoked, other] = [await d.watchDecisions(d.keys.small), await d.watchDecisions(d.keys.acme)];
    carryOut(readInvocation(['revoke', '--id', 'small-1', '--file', d.path('secrets', 'access.json')]));
    const isRefused = async () => (await d.decision(d.as(d.keys.small), 'q1')).status === 401;
    await until(isRefused, 'the revoked key is refused');
    expect(await revoked.end).toBe(status.UNAUTHENTICATED);
    expect(await Promise.race([other.end, 'open'])).toBe('open');
    expect(readFileSync(d.path('audit.jsonl'), 'utf8')).toContain('"action":"access.changed"');
    expect(await d.decision(d.as(d.keys.acmeRead), 'r1')).toMatchObject({ status: 200 });
  }, 30_000);

  test('loads and unloads of models are audited with the caller’s key', async () => {
    const load = '/inference.GRPCInferenceService/RepositoryModelLoad';
    const nowhere = Buffer.from([0x12, 6, ...Buffer.from('no-one')]); // field 2, model_name
    const call = (key: string) => d.grpcStatus(d.pipeline.workerGrpc, load, d.producer, nowhere, key);
    expect(await call(d.keys.acme)).toBe(status.PERMISSION_DENIED);
    expect(d.auditLines().at(-1)).toMatchObject({
      ...{
        action: 'access',
        actor: 'key:acme-1',
        subject: 'models:admin',
        outcome: 'refused',
        reason: 'scope',
      },
    });
    expect(await call(d.keys.models)).not.toBe(status.OK);
    expect(d.auditLines().at(-1)).toMatchObject({
      action: 'model.load',
      actor: 'key:models-1',
      subject: 'no-one',
      outcome: 'failed',
    });
  }, 30_000);

  test('gRPC is mutual TLS on every port, and asks producers for their key beside it', async () => {
    const live = '/inference.GRPCInferenceService/ServerLive';
    expect(await d.grpcStatus(d.pipeline.workerGrpc, live, d.producer)).toBe(status.OK);
    for (const by of [null, d.stranger]) {
      expect(await d.grpcStatus(d.pipeline.workerGrpc, live, by)).not.toBe(status.OK);
      expect(await d.grpcStatus(d.pipeline.ingestGrpc, '/grpc.health.v1.Health/Check', by)).not.toBe(
        status.OK,
      );
    }
    expect(await d.grpcStatus(d.pipeline.ingestGrpc, '/grpc.health.v1.Health/Check', d.producer)).toBe(
      status.OK,
    );
    const refused = await d.grpcStatus(
      d.pipeline.ingestGrpc,
      '/roundhouse.v1.Dispatch/SubmitRound',
      d.producer,
    );
    expect(refused).toBe(status.UNAUTHENTICATED);
    // An empty round: let in, and told what is wrong with it.
    const submitRound = '/roundhouse.v1.Dispatch/SubmitRound';
    const asked = (key: string) =>
      d.grpcStatus(d.pipeline.ingestGrpc, submitRound, d.producer, Buffer.alloc(0), key);
    expect(await asked(d.keys.acme)).toBe(status.INVALID_ARGUMENT);
    expect(await asked(d.keys.acmeRead)).toBe(status.PERMISSION_DENIED);
  }, 60_000);

  test('a plain connection and TLS 1.1 are refused', async () => {
    const plain = d.pipeline.ingestUrl.replace('https:', 'http:');
    await expect(fetch(`${plain}/livez`)).rejects.toThrow();
    const { hostname: host, port } = new URL(d.pipeline.ingestUrl);
    const old = { host, port: Number(port), ca: d.ca, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' } as const;
    const outcome = await new Promise((resolve) => {
      const socket = connectTls(old, () => resolve('connected'));
      socket.once('error', () => resolve('refused'));
    });
    expect(outcome).toBe('refused');
  }, 30_000);

  test('the broker takes from each user what its service needs, and no more', async () => {
    const busOf = (user: User) => {
      const config = loadConfig(d.settings(user), kafkaSettings);
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

  test('a password that is put right is that of the next connection to the broker', async () => {
    await getsInOncePutRight(d.settings('ingest'), d.path('secrets', 'rotated'), passwords.ingest);
  }, 60_000);

  test('Redis takes from each user what its service needs, and no more', async () => {
    await takesWhatIngestNeeds(d.settings('ingest'));
  }, 30_000);

  test('the engine runs without privileges, without TCP and without secrets', () => {
    const [pid] = d.pipeline.enginePids();
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
      ...readdirSync(d.pipeline.logs).map((name) => join(d.pipeline.logs, name)),
      d.path('audit.jsonl'),
    ];
    const secrets = [...Object.values(passwords), ...Object.values(d.keys).map((text) => text.slice(-43))];
    for (const file of logs) {
      const text = readFileSync(file, 'utf8');
      for (const secret of secrets) expect(text).not.toContain(secret);
      expect(text).not.toMatch(/13\.41827|52\.51918|PRIVATE KEY/);
      // What a service needs and was not given would be in its log.
      expect(text).not.toMatch(/NOPERM|AUTHORIZATION_FAILED/);
    }
    expect(d.auditLines().map(({ actor, reason }) => `${actor} ${reason}`)).toEqual(
      expect.arrayContaining([
        'anyone absent',
        'anyone unknown',
        'key:acme-read scope',
        'key:other-1 tenant',
      ]),
    );
  });

  test('a wrong password ends a service with 3 and the reason, without the password', async () => {
    writeFileSync(d.path('secrets', 'wrong'), 'not-the-password');
    const env = {
      ...d.settings('ingest'),
      ROUNDHOUSE_KAFKA_PASSWORD_FILE: d.path('secrets', 'wrong'),
      ROUNDHOUSE_STARTUP_TIMEOUT_MS: '3000',
      ROUNDHOUSE_INGEST_HTTP_PORT: '0',
      ROUNDHOUSE_INGEST_GRPC_PORT: '0',
    };
    const { code, output } = await runToItsEnd('ingest', env);
    expect(code).toBe(3);
    expect(output).toMatch(/SASL|[Aa]uthentication/);
    expect(output).not.toContain('not-the-password');
  }, 60_000);
});
