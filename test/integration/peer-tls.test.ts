import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectEngine } from '#lib/engine-client/grpc';
import { readPeerTls, type PeerTls } from '#lib/peer-tls';
import { askHandshake } from '#services/inference-worker/remote/ucx/ask-handshake';
import { hasProgram } from '../support/has-program';
import { until } from '../support/until';
import { ask, closeHosts, describeUcx, inSeconds, Peer, requestOf } from './ucx-harness';

const whySkipped = hasProgram('openssl')
  ? null
  : 'openssl makes the certificates of these tests, and is not here';
if (whySkipped !== null) console.warn(`tests of TLS between workers are skipped: ${whySkipped}`);
const describeTls: typeof describe.skip = whySkipped === null ? describeUcx : describe.skip;

const folder = mkdtempSync(join(tmpdir(), 'roundhouse-tls-'));
const at = (name: string): string => join(folder, name);

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}

function makeAuthority(name: string): void {
  const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)];
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  openssl('req', '-x509', ...kind, '-subj', `/CN=${name}`, ...files);
}

/** A worker's certificate by an authority, for a name. */
function makeCertificate(name: string, authority: string, subject: string): void {
  const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  openssl(
    'req',
    '-new',
    ...kind,
    '-subj',
    `/CN=${name}`,
    '-keyout',
    at(`${name}.key`),
    '-out',
    at(`${name}.csr`),
  );
  writeFileSync(at(`${name}.ext`), `subjectAltName=${subject}\n`);
  const by = [
    '-CA',
    at(`${authority}.pem`),
    '-CAkey',
    at(`${authority}.key`),
    '-CAcreateserial',
    '-days',
    '2',
  ];
  openssl(
    'x509',
    '-req',
    '-in',
    at(`${name}.csr`),
    ...by,
    '-extfile',
    at(`${name}.ext`),
    '-out',
    at(`${name}.pem`),
  );
}

function tlsOf(name: string, authority = 'ours', expected = ''): PeerTls {
  return readPeerTls({
    peerTlsCa: at(`${authority}.pem`),
    peerTlsCertificate: at(`${name}.pem`),
    peerTlsKey: at(`${name}.key`),
    peerTlsName: expected,
  })!;
}

beforeAll(() => {
  if (whySkipped !== null) return;
  for (const authority of ['ours', 'theirs']) makeAuthority(authority);
  makeCertificate('worker', 'ours', 'IP:127.0.0.1');
  makeCertificate('named', 'ours', 'DNS:worker.roundhouse');
  makeCertificate('stranger', 'theirs', 'IP:127.0.0.1');
});
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(closeHosts);

async function withPeer(tls: PeerTls | null, use: (peer: Peer) => Promise<void>): Promise<void> {
  const peer = await Peer.start({ tls });
  try {
    await use(peer);
  } finally {
    peer.close();
  }
}

const handshake = (peer: Peer, tls: PeerTls | null) =>
  askHandshake(peer.address, tls, peer.side.offer, 2_000);

describeTls('mutual TLS between workers', () => {
  it('lets one with a certificate of the same authority in: gRPC, handshake and UCX', async () => {
    await withPeer(tlsOf('worker'), async (peer) => {
      const { client, recorder } = ask(peer.address, { tls: tlsOf('worker') });
      const first = await client.infer(requestOf(Buffer.from('gRPC')), inSeconds(30));
      expect(first.outputs[0]!.data.toString()).toBe('gRPC');
      await until(() => recorder.of('UcxOpened').length === 1, 'UCX');
      await client.infer(requestOf(Buffer.from('UCX')), inSeconds(30));
      expect(recorder.of('UcxSent')).toHaveLength(1);
      await client.close();
    });
  });

  it.each([
    ['without any certificate', () => null],
    [
      'with one of another authority',
      () => ({ ...tlsOf('stranger', 'theirs'), ca: readFileSync(at('ours.pem')) }),
    ],
  ])('gives no token and answers nothing to one %s', async (_, tls) => {
    await withPeer(tlsOf('worker'), async (peer) => {
      await expect(handshake(peer, tls())).rejects.toThrow(/UNAVAILABLE|DEADLINE/);
      const client = connectEngine({ address: peer.address, tls: tls() });
      await expect(client.infer(requestOf(), inSeconds(2))).rejects.toMatchObject({
        code: expect.stringMatching(/ENGINE_LOST|DEADLINE_EXCEEDED/) as string,
      });
      await client.close();
    });
  });

  it('asks nobody whose certificate is of another authority, for another host, or missing', async () => {
    await withPeer(tlsOf('stranger', 'theirs'), async (peer) => {
      await expect(handshake(peer, tlsOf('worker'))).rejects.toThrow(/UNAVAILABLE|DEADLINE/);
    });
    await withPeer(tlsOf('named'), async (peer) => {
      await expect(handshake(peer, tlsOf('worker'))).rejects.toThrow(/UNAVAILABLE|DEADLINE/);
    });
    await withPeer(null, async (peer) => {
      await expect(handshake(peer, tlsOf('worker'))).rejects.toThrow(/UNAVAILABLE|DEADLINE/);
    });
  });

  it('takes a certificate for the name that is set', async () => {
    await withPeer(tlsOf('named'), async (peer) => {
      const { port } = await handshake(peer, tlsOf('worker', 'ours', 'worker.roundhouse'));
      expect(port).toBe(peer.side.port);
    });
  });
});

describe('the files of TLS between workers', () => {
  const none = { peerTlsCa: '', peerTlsCertificate: '', peerTlsKey: '', peerTlsName: '' };

  it('are none, or all three', () => {
    expect(readPeerTls(none)).toBeNull();
    expect(() => readPeerTls({ ...none, peerTlsCa: __filename })).toThrow(/_CERT.*\n.*_KEY/);
  });

  it('are named where they can’t be read', () => {
    const files = {
      peerTlsCa: __filename,
      peerTlsCertificate: '/nowhere/a.pem',
      peerTlsKey: '/nowhere/a.key',
    };
    expect(() => readPeerTls({ ...none, ...files })).toThrow(/nowhere\/a\.pem.*\n.*nowhere\/a\.key/);
  });
});
