import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { type RoundhouseError } from '#schemas/errors';
import { projectPath } from '#schemas/project-root';
import { stopProcess } from '../support/stop-process';
import { until } from '../support/until';
import { ask, closeHosts, describeUcx, echo, inSeconds, library, Peer, requestOf } from './ucx-harness';

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  closeHosts();
});

function start(role: 'serve' | 'ask', settings: object): ChildProcess {
  const argv = [projectPath('test/fixtures/ucx-peer.js'), role, JSON.stringify({ library, ...settings })];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  children.push(child);
  return child;
}

async function startServing(): Promise<{ child: ChildProcess; address: string; held: () => number }> {
  const child = start('serve', {});
  let held = 0;
  child.on('message', (message) => (held += Number(message === 'held')));
  const [message] = (await once(child, 'message')) as [{ address: string }];
  return { child, address: message.address, held: () => held };
}

const hold = () => ({ ...requestOf(Buffer.alloc(1_000_000, 1)), model: 'hold' });

describeUcx('a peer that serves', () => {
  it('and is killed with requests under way: each ends as lost, well before its deadline', async () => {
    const { child, address, held } = await startServing();
    const { client, recorder } = ask(address);
    await until(() => recorder.of('UcxOpened').length === 1, 'a connection');
    const lost = Array.from({ length: 10 }, () =>
      client.infer(hold(), inSeconds(600)).catch((error: unknown) => error as RoundhouseError),
    );
    await until(() => held() === 10, 'it has all');
    child.kill('SIGKILL');
    for (const error of await Promise.all(lost)) expect(error).toMatchObject({ code: 'ENGINE_LOST' });
    expect(recorder.of('UcxLost')).toHaveLength(1);
    await client.close();
  });

  it('and stands still: its silence is noticed, gRPC takes over, and UCX is used again when it goes on', async () => {
    const { child, address, held } = await startServing();
    const { client, recorder } = ask(address, { silenceMs: 400 });
    await until(() => recorder.of('UcxOpened').length === 1, 'a connection');
    const waiting = client.infer(hold(), inSeconds(5)).catch((error: unknown) => error as RoundhouseError);
    await until(() => held() === 1, 'it has one');
    await stopProcess(child.pid!);
    await until(() => recorder.of('UcxLost').length === 1, 'its silence is noticed');
    expect(recorder.of('UcxLost')[0]).toMatchObject({ reason: 'the peer said nothing for 400 ms' });
    expect(recorder.of('UcxFellBack')).toMatchObject([{ reason: 'lost_in_flight' }]);
    expect(await waiting).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    child.kill('SIGCONT');
    await until(() => recorder.of('UcxOpened').length === 2, 'UCX is back');
    const { outputs } = await client.infer(requestOf(Buffer.from('back')), inSeconds(60));
    expect(outputs[0]!.data.toString()).toBe('back');
    await client.close();
  });

  it('and stands still while the connection is opened: it is given up, and tried again', async () => {
    const { child, address } = await startServing();
    await stopProcess(child.pid!);
    const { client, recorder } = ask(address, { openTimeoutMs: 200 });
    await until(() => recorder.of('UcxUnavailable').length >= 2, 'given up twice');
    child.kill('SIGCONT');
    await until(() => recorder.of('UcxOpened').length === 1, 'a connection');
    await client.close();
  });
});

describeUcx('a peer that asks', () => {
  /** What a serving worker lends, and what it has back. */
  function lending() {
    const slots = { lent: 0, back: 0 };
    const lease = (bytes: number) => {
      slots.lent += 1;
      return { memory: new ArrayBuffer(bytes), release: () => (slots.back += 1) };
    };
    return { slots, service: { ...echo, lease } };
  }

  const kills = process.env['TEST_FULL'] ? 30 : 4;

  it(`and is killed in the middle of its messages, ${kills} times: nothing is kept of it`, async () => {
    const { slots, service } = lending();
    const peer = await Peer.start({ service, atOnce: { calls: 4, bytes: 20_000_000 } });
    for (let i = 0; i < kills; i += 1) {
      const child = start('ask', { address: peer.address, model: 'echo' });
      await once(child, 'message');
      const before = slots.lent;
      await until(() => slots.lent > before + i, 'messages are under way');
      child.kill('SIGKILL');
      await until(() => peer.server.peers === 0, 'its connection has ended');
      // UCX lets go of what it was receiving later; the next one would find no place until then.
      await until(() => slots.back === slots.lent, 'every slot is back');
    }
    // Four calls may be under way, and none is counted that isn't: four more are taken.
    const { client, recorder } = ask(peer.address);
    await until(() => recorder.of('UcxOpened').length === 1, 'a connection');
    const four = Array.from({ length: 4 }, () =>
      client.infer(requestOf(Buffer.alloc(4_000_000)), inSeconds(60)),
    );
    expect(await Promise.all(four)).toHaveLength(4);
    await client.close();
    peer.close();
  }, 300_000);

  it('and stands still in the middle of its messages: it is given up, and its slots come back', async () => {
    const { slots, service } = lending();
    const peer = await Peer.start({ service, silenceMs: 1_000 });
    const child = start('ask', { address: peer.address, model: 'echo' });
    await once(child, 'message');
    await until(() => slots.lent > 4, 'messages are under way');
    await stopProcess(child.pid!);
    await until(() => peer.recorder.refusals.includes('silent'), 'it is given up');
    await until(() => slots.back === slots.lent, 'every slot is back');
    child.kill('SIGCONT');
    await until(() => peer.recorder.of('UcxPeerAdmitted').length === 2, 'it comes again');
    peer.close();
  });
});
