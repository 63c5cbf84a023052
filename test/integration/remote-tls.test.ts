import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPeerTls, type PeerTls } from '#lib/peer-tls';
import { projectPath } from '#schemas/project-root';
import { Authority } from '../support/certificates';
import { hasProgram } from '../support/has-program';
import { makeShard } from '../support/make-shard';
import { startStack } from '../support/stack';
import { expectSolved, startOtherWorker, startRemoteBench, type OtherWorker } from './remote-harness';

jest.setTimeout(120_000);

const isSkipped = !hasProgram('openssl');
if (isSkipped) console.warn('tests of announcements over TLS are skipped: openssl is not here');
const describeTls: typeof describe.skip = isSkipped ? describe.skip : describe;

const stack = startStack('remote-tls');
const shard = makeShard();
const folder = mkdtempSync(join(tmpdir(), 'roundhouse-remote-tls-'));
const ended: { stop(): Promise<void> }[] = [];
const workers: OtherWorker[] = [];
afterEach(async () => {
  for (const bench of ended.splice(0)) await bench.stop();
  for (const worker of workers.splice(0)) await worker.kill();
});
afterAll(() => rmSync(folder, { recursive: true }));

const announced = (prefix: string) => ({
  REDIS_URL: stack.redisUrl,
  ROUNDHOUSE_TOPIC_PREFIX: `${stack.topicPrefix}${prefix}.`,
  ROUNDHOUSE_REMOTE_ENGINES: 'redis',
  ROUNDHOUSE_DEVICES: 'cpu',
});

describeTls('workers that are announced, with mutual TLS', () => {
  let files: Record<
    'ROUNDHOUSE_PEER_TLS_CA' | 'ROUNDHOUSE_PEER_TLS_CERT' | 'ROUNDHOUSE_PEER_TLS_KEY',
    string
  >;
  let tls: PeerTls;

  beforeAll(() => {
    const authority = new Authority(folder);
    const { certificate, key } = authority.issue('worker');
    const { certificate: peerTlsCa } = authority;
    files = {
      ROUNDHOUSE_PEER_TLS_CA: peerTlsCa,
      ROUNDHOUSE_PEER_TLS_CERT: certificate,
      ROUNDHOUSE_PEER_TLS_KEY: key,
    };
    tls = readPeerTls({ peerTlsCa, peerTlsCertificate: certificate, peerTlsKey: key, peerTlsName: '' })!;
  });

  async function other(prefix: string): Promise<OtherWorker> {
    const worker = await startOtherWorker({
      ...announced(prefix),
      ...files,
      ROUNDHOUSE_MODELS_DIR: projectPath('models'),
      ROUNDHOUSE_WORKER_PEER_PORT: '0',
    });
    workers.push(worker);
    return worker;
  }

  async function bench(env: Readonly<Record<string, string>>, certificate: PeerTls | null) {
    const made = await startRemoteBench(env, undefined, certificate);
    ended.push(made);
    return made;
  }

  it('take shards of one with a certificate of their authority, and none of one without', async () => {
    await Promise.all([other('meet'), other('meet')]);
    const own = await bench(announced('meet'), tls);
    await own.untilSeen('RemoteUsable', { usable: true });
    await own.untilSeen('RemoteUsable', { usable: true });
    expectSolved(await Promise.all(Array.from({ length: 8 }, (_, i) => own.solve(shard, i))), own);
    const stranger = await bench(announced('meet'), null);
    await stranger.untilSeen('RemoteSilent');
    const { fields } = stranger.seen.find(({ name }) => name === 'RemoteSilent')!;
    expect(fields['reason']).toContain('perhaps it wants TLS');
    const missed = await stranger.solve(shard, 9, 500);
    expect(missed!.outcome.status).not.toBe('solved');
  });

  it('a port without TLS is named as what is wrong with it', async () => {
    const worker = await other('plain');
    const list = join(folder, 'remotes.json');
    writeFileSync(list, JSON.stringify({ engines: [{ address: worker.address, name: 'plain' }] }));
    const own = await bench({ ...announced('plain'), ROUNDHOUSE_REMOTE_ENGINES: `file:${list}` }, tls);
    await own.untilSeen('RemoteSilent', { name: 'plain' });
    const { fields } = own.seen.find(({ name }) => name === 'RemoteSilent')!;
    expect(fields['reason']).toContain('asks others on their peer ports');
  });
});
