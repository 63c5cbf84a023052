import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Server as HttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { Client, Server } from '@grpc/grpc-js';
import { pino } from 'pino';
import { connectBus } from '#lib/bus/kafka';
import { kafkaAccess } from '#lib/bus/kafka-security';
import { kafkaSettings } from '#lib/bus/kafka-settings';
import { loadConfig } from '#lib/config';
import { followedFiles } from '#lib/followed-files';
import { FollowedTls } from '#lib/followed-tls';
import { bindServer } from '#lib/grpc-bind';
import { grpcServerCredentials } from '#lib/grpc-server-credentials';
import { closeServer, listen } from '#lib/health';
import { grpcChannel, readPeerTls } from '#lib/peer-tls';
import { createRedis } from '#lib/redis';
import { redisAccess } from '#lib/redis-security';
import { redisSettings } from '#lib/redis-settings';
import { createWebServer, readServerTls } from '#lib/server-tls';
import { serverTlsSettings } from '#lib/server-tls-settings';
import { Authority, type Issued } from '../support/certificates';
import { hasProgram } from '../support/has-program';
import { until } from '../support/until';

const describeTls: typeof describe.skip = hasProgram('openssl') ? describe : describe.skip;
if (!hasProgram('openssl'))
  console.warn('renewed certificates are not tested: openssl makes them, and is not here');

describeTls('certificates and keys that are replaced while a process runs', () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-renewal-'));
  const at = (name: string): string => join(folder, name);
  const files = { ca: at('ca.pem'), certificate: at('now.pem'), key: at('now.key') };
  const named = {
    ca: { key: 'CA', path: files.ca },
    certificate: { key: 'CERT', path: files.certificate },
    key: { key: 'KEY', path: files.key },
  };
  let first: Issued;
  let second: Issued;

  const put = ({ certificate, key }: Issued): void => {
    copyFileSync(certificate, files.certificate);
    copyFileSync(key, files.key);
  };
  /** A change is taken once it was there at two looks. */
  const lookTwice = (): void => {
    for (let i = 0; i < 2; i += 1) for (const one of followedFiles()) one.look();
  };

  beforeAll(() => {
    const authority = new Authority(folder);
    [first, second] = [authority.issue('first'), authority.issue('second')];
  });
  /** What a test has open, also one that fails. */
  const open: (() => unknown)[] = [];
  beforeEach(() => put(first));
  afterEach(async () => {
    for (let close = open.pop(); close; close = open.pop()) await close();
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Whose certificate a server shows. */
  const shownAt = (port: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const pair = { cert: readFileSync(first.certificate), key: readFileSync(first.key) };
      const options = {
        host: '127.0.0.1',
        port,
        ca: readFileSync(files.ca),
        ALPNProtocols: ['h2', 'http/1.1'],
        ...pair,
      };
      const socket = connect(options, () => {
        resolve(String(socket.getPeerCertificate().subject.CN));
        socket.destroy();
      });
      socket.once('error', reject);
    });

  /** A server that writes down whose certificate each client shows, and hangs up. */
  async function listener(): Promise<{ port: number; shown: string[]; close(): void }> {
    const shown: string[] = [];
    const own = { cert: readFileSync(first.certificate), key: readFileSync(first.key) };
    const ca = readFileSync(files.ca);
    const server = createServer({ ...own, ca, requestCert: true }, (socket: TLSSocket) => {
      shown.push(String(socket.getPeerCertificate().subject?.CN));
      socket.on('error', () => undefined);
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { port: (server.address() as AddressInfo).port, shown, close: () => server.close() };
  }

  test('half a change waits, one with faults is told once and the old ones hold, a good one is taken', () => {
    const faults: never[] = [];
    const tls = new FollowedTls(named, faults);
    const told: string[] = [];
    tls.onChange(() => told.push('changed'));
    const shown = (): string => tls.pair!.certificate.toString();
    const before = shown();
    expect(tls.look()).toBe('same');
    copyFileSync(second.certificate, files.certificate);
    expect(tls.look()).toBe('same'); // the key may be on its way
    copyFileSync(second.key, files.key);
    expect([tls.look(), tls.look(), tls.look()]).toEqual(['same', 'changed', 'same']);
    expect(shown()).not.toBe(before);
    expect(told).toEqual(['changed']);

    copyFileSync(first.key, files.key);
    const looks = [tls.look(), tls.look(), tls.look(), tls.look()];
    expect(looks).toEqual(['same', { refused: expect.stringContaining('the key of') }, 'same', 'same']);
    writeFileSync(files.key, 'no key');
    expect([tls.look(), tls.look()]).toEqual(['same', { refused: expect.stringContaining('a key in PEM') }]);
    rmSync(files.key);
    expect([tls.look(), tls.look()]).toEqual(['same', { refused: expect.stringContaining('can be read') }]);
    put(second);
    const chain = readFileSync(second.certificate, 'utf8');
    for (const whole of [files.certificate, files.ca]) {
      const before = readFileSync(whole);
      writeFileSync(whole, chain + chain.slice(0, 200)); // a chain, a bundle: its last one is cut off
      const refused = { refused: expect.stringContaining('a certificate in PEM') };
      expect([tls.look(), tls.look()]).toEqual(['same', refused]);
      writeFileSync(whole, before);
    }
    expect(shown()).toBe(readFileSync(second.certificate, 'utf8'));
    put(first);
    expect([tls.look(), tls.look()]).toEqual(['same', 'changed']);
    expect(shown()).toBe(before);
  });

  test('ports of HTTP and gRPC show the new one, and go on asking for certificates', async () => {
    const env = {
      ROUNDHOUSE_TLS_CERT: files.certificate,
      ROUNDHOUSE_TLS_KEY: files.key,
      ROUNDHOUSE_TLS_CLIENT_CA: files.ca,
    };
    const tls = readServerTls(loadConfig(env, serverTlsSettings))!;
    const http = createWebServer(tls, 'required');
    expect(http).toBeInstanceOf(HttpsServer);
    const grpc = new Server();
    open.push(
      () => closeServer(http),
      () => grpc.forceShutdown(),
    );
    const ports = [
      await listen(http, '127.0.0.1', 0),
      await bindServer(grpc, '127.0.0.1:0', grpcServerCredentials(tls)),
    ];
    for (const port of ports) expect(await shownAt(port)).toBe('first');
    put(second);
    lookTwice();
    for (const port of ports) expect(await shownAt(port)).toBe('second');
    for (const port of ports) {
      const nobody = new Promise((resolve) => {
        const socket = connect({
          host: '127.0.0.1',
          port,
          ca: readFileSync(files.ca),
          ALPNProtocols: ['h2', 'http/1.1'],
        });
        socket.once('error', () => resolve('refused')).once('close', () => resolve('refused'));
        socket.resume();
      });
      expect(await nobody).toBe('refused');
    }
  }, 30_000);

  test('connections that gRPC, Redis and Kafka clients make anew show the new one', async () => {
    const there = await listener();
    open.push(there.close);
    const address = `127.0.0.1:${there.port}`;
    const peer = readPeerTls({
      ...{
        peerTlsCa: files.ca,
        peerTlsCertificate: files.certificate,
        peerTlsKey: files.key,
        peerTlsName: '',
      },
    });
    const { credentials, options } = grpcChannel(peer);
    const tlsOf = (name: string) => ({
      [`ROUNDHOUSE_${name}_TLS_CA`]: files.ca,
      [`ROUNDHOUSE_${name}_TLS_CERT`]: files.certificate,
      [`ROUNDHOUSE_${name}_TLS_KEY`]: files.key,
    });
    const logger = pino({ level: 'silent' });
    const redisConfig = loadConfig({ REDIS_URL: `rediss://${address}`, ...tlsOf('REDIS') }, redisSettings);
    const kafkaEnv = { KAFKA_BROKERS: address, ROUNDHOUSE_KAFKA_TLS: 'true', ...tlsOf('KAFKA') };
    const kafka = kafkaAccess(loadConfig(kafkaEnv, kafkaSettings));

    const clients: readonly (() => () => unknown)[] = [
      () => {
        const client = new Client(address, credentials, {
          ...options,
          'grpc.initial_reconnect_backoff_ms': 100,
        });
        const timer = setInterval(() => client.getChannel().getConnectivityState(true), 50);
        return () => (clearInterval(timer), client.close());
      },
      () => {
        // Between two connections it waits so long for an end of the last one, and jest with it.
        const options = { disconnectTimeout: 100 };
        const redis = createRedis({ ...redisAccess(redisConfig), name: 'renewal', logger, redis: options });
        redis.connect().catch(() => undefined);
        return () => redis.disconnect();
      },
      () => {
        const bus = connectBus({ ...kafka, clientId: 'renewal', logger });
        const end = new AbortController();
        const ready = bus.waitUntilReady(60_000, end.signal).catch(() => undefined);
        return async () => {
          end.abort();
          await ready;
          await bus.close();
        };
      },
    ];
    for (const start of clients) {
      put(first);
      lookTwice();
      there.shown.length = 0;
      open.push(start());
      await until(() => there.shown.includes('first'), 'the client has shown the first certificate');
      put(second);
      lookTwice();
      const since = there.shown.length;
      await until(() => there.shown.slice(since).includes('second'), 'it shows the second one');
      await open.pop()!();
    }
  }, 60_000);
});
