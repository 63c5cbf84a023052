import { spawnSync } from 'node:child_process';
import { UcxError } from '#native/ucx/ucx-error';
import { projectPath } from '#schemas/project-root';
import { networksOf } from '#services/inference-worker/remote/ucx/networks';
import { openUcx } from '#services/inference-worker/remote/ucx/open-ucx';
import type { PeerConfig } from '#services/inference-worker/remote/ucx/ucx-settings';
import { closeHosts, describeUcx, openHost, tcp } from './ucx-harness';

afterEach(closeHosts);

function failure(make: () => unknown): UcxError {
  try {
    make();
  } catch (error) {
    if (error instanceof UcxError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

/** In a process of its own: a process opens one library, and reads its environment once. */
function openedElsewhere(settings: object, env: Record<string, string> = {}): string {
  const program = `
    const { UcxHost } = require(${JSON.stringify(projectPath('dist/native/ucx/ucx-host.js'))});
    try {
      const host = new UcxHost(${JSON.stringify(settings)});
      console.log('opened ' + host.facts.version + ' ' + host.facts.transports.join(' '));
      host.close();
    } catch ({ code, message }) { console.log(code + ' ' + message); }`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], ...env },
  });
  expect(stderr).toBe('');
  return stdout.trim();
}

describeUcx('where UCX can’t be had', () => {
  it('a library that isn’t there is named', () => {
    expect(openedElsewhere({ ...tcp, library: '/nowhere/libucp.so.0' })).toMatch(
      /^LOAD_FAILED .*\/nowhere\/libucp/,
    );
  });

  it('a library that is another one is refused', () => {
    expect(openedElsewhere({ ...tcp, library: 'libc.so.6' })).toBe(
      'LOAD_FAILED libc.so.6 has no ucp_get_version',
    );
  });

  it('transports that this machine lacks are unavailable, without a word on standard error', () => {
    expect(openedElsewhere({ ...tcp, transports: 'rc' })).toMatch(/^UNAVAILABLE /);
    expect(openedElsewhere({ ...tcp, transports: '', devices: '' }, { UCX_TLS: 'rc' })).toMatch(
      /^UNAVAILABLE /,
    );
  });

  it('it opens where it is there, with the transports asked for', () => {
    expect(openedElsewhere(tcp)).toMatch(/^opened 1\.\d+\.\d+ (.* )?tcp\/lo/);
    expect(openedElsewhere({ ...tcp, transports: '^cuda,sm' })).not.toMatch(/posix|sysv|cma/);
  });

  it('addresses that are taken or none are refused', () => {
    const first = openHost({ listen: { host: '127.0.0.1', port: 0 } });
    const { port } = first.facts;
    expect(failure(() => openHost({ listen: { host: '127.0.0.1', port } })).code).toBe('ADDRESS_IN_USE');
    expect(failure(() => openHost({ listen: { host: 'localhost', port: 0 } })).code).toBe('INVALID_ARG');
    expect(
      failure(() => first.connect('nowhere', 1, { onMessage: () => undefined, onClosed: () => undefined }))
        .code,
    ).toBe('INVALID_ARG');
  });

  it('a connection to where nobody listens ends with a reason', async () => {
    const host = openHost();
    const reason = await new Promise<string>((resolve) => {
      const connection = host.connect('127.0.0.1', 1, { onMessage: () => undefined, onClosed: resolve });
      connection.send(Buffer.alloc(16)).catch(() => undefined);
    });
    expect(reason).not.toBe('');
  });

  it('a host that was closed refuses, and closing twice is no harm', async () => {
    const host = openHost();
    const connection = host.connect('127.0.0.1', 1, {
      onMessage: () => undefined,
      onClosed: () => undefined,
    });
    const sent = connection.send(Buffer.alloc(16));
    host.close();
    host.close();
    await expect(sent).rejects.toMatchObject({ code: 'CONNECTION_ENDED' });
    expect(
      failure(() => host.connect('127.0.0.1', 1, { onMessage: () => undefined, onClosed: () => undefined }))
        .code,
    ).toBe('CLOSED');
  });

  it('the worker says why, and does without', async () => {
    const config = {
      ucxNetworks: networksOf([])!,
      ucxPort: 0,
      ucxTransports: '',
      ucxDevices: '',
    } as PeerConfig;
    const open = (changes: Partial<PeerConfig>) =>
      openUcx({ ...config, toolchainDir: '.roundhouse/toolchain', ...changes }, '127.0.0.1', undefined, {});
    expect((await open({})).whyNone).toBe('no networks are listed for UCX');
    const elsewhere = { ucxNetworks: networksOf(['198.51.100.0/24'])! };
    expect((await open(elsewhere)).whyNone).toBe('no interface lies in the networks of UCX');
    const here = { ucxNetworks: networksOf(['127.0.0.0/8'])! };
    expect((await open({ ...here, ucxTransports: 'rc' })).whyNone).not.toBe('');
    const { host, whyNone } = await open(here);
    expect(whyNone).toBe('');
    expect(host!.facts.transports.some((name) => name.startsWith('tcp/lo'))).toBe(true);
    host!.close();
  });
});
