import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { projectPath } from '#schemas/project-root';
import { until } from '../support/until';
import { ask, closeHosts, describeUcx, inSeconds, library, openHost, Peer, requestOf } from './ucx-harness';
import { killedWithFile } from '../support/closed-with-file';

afterEach(closeHosts);

const isFull = process.env['TEST_FULL'] !== undefined;
const times = isFull ? 20 : 2;
const sessions = isFull ? 1_000 : 60;

/** Its exit code, its signal, and what it wrote to standard error. */
async function endOf(settings: object): Promise<unknown[]> {
  const argv = [projectPath('test/fixtures/ucx-peer.js'), 'ask', JSON.stringify({ library, ...settings })];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  killedWithFile(child);
  let errors = '';
  child.stderr!.on('data', (text: Buffer) => (errors += text.toString()));
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null];
  return [code, signal, errors];
}

describeUcx('a process with messages under way', () => {
  it.each(['exit', 'thread'])(
    `ends in order, by its %s, ${times} times`,
    async (end) => {
      const peer = await Peer.start();
      for (let i = 0; i < times; i += 1) {
        expect(await endOf({ address: peer.address, model: 'echo', end })).toEqual([0, null, '']);
      }
      await until(() => peer.server.peers === 0, 'nothing is left of it');
      peer.close();
    },
    300_000,
  );
});

describeUcx('a connection that has ended', () => {
  it(`leaves no descriptor, ${sessions} times`, async () => {
    const peer = await Peer.start();
    const host = openHost();
    const one = async (): Promise<void> => {
      const { client, recorder } = ask(peer.address, { host });
      await until(() => recorder.of('UcxOpened').length === 1, 'a connection');
      await client.infer(requestOf(Buffer.alloc(100_000)), inSeconds(30));
      await client.close();
    };
    for (let i = 0; i < 10; i += 1) await one();
    await until(() => peer.server.peers === 0, 'they have ended');
    const before = readdirSync('/proc/self/fd').length;
    for (let i = 0; i < sessions; i += 1) await one();
    await until(() => peer.server.peers === 0, 'they have ended');
    // Two of this process for a connection: a leak would leave 120 of 60. UCX frees some a moment later.
    await until(() => readdirSync('/proc/self/fd').length <= before + 10, 'their descriptors are closed');
    peer.close();
  }, 600_000);
});
