import { connectEngine } from '#lib/engine-client/grpc';
import type { UnixMs } from '#schemas/brands';
import { AdmissionView, Releases } from './engine-admission';
import { startEngineProcess } from './engine-process';
import { echoInputs, makeRepository, operations } from './engine-repository';

jest.setTimeout(60_000);

/** One instance that takes one request at a time. */
const config = `backend: "echo" max_batch_size: 1
input [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "control" data_type: TYPE_INT32 dims: [ 2 ] } ]
output [ { name: "data" data_type: TYPE_INT32 dims: [ -1 ] }, { name: "sum" data_type: TYPE_INT64 dims: [ 1 ] } ]
instance_group [ { kind: KIND_CPU count: 1 } ]`;

const soon = (): UnixMs => (Date.now() + 20_000) as UnixMs;

test('a request above the bytes that may wait is refused with both figures while it would wait', async () => {
  const repository = makeRepository({ echo: config });
  const releases = new Releases();
  const small = await startEngineProcess(repository.folder, {
    ROUNDHOUSE_ENGINE_MAX_QUEUED_BYTES: '10',
    ECHO_RELEASES: releases.folder,
  });
  const client = connectEngine({ address: small.address });
  const view = new AdmissionView(small.address);
  const name = releases.next();
  const request = { model: 'echo', version: '', requestId: 'r' };
  const held = client.infer({ ...request, inputs: echoInputs([1], operations.hold, name) }, soon());
  await view.until(1, 0);
  // 64 KiB for outputs, 4 bytes of data and 8 of control.
  const refused: unknown = await client
    .infer({ ...request, inputs: echoInputs([1]) }, soon())
    .catch((error: unknown) => error);
  releases.release(name);
  expect((await held).outputs).toHaveLength(2);
  view.close();
  await client.close();
  await small.stop();
  repository.remove();
  releases.remove();
  expect(refused).toMatchObject({
    code: 'ENGINE_BUSY',
    message: expect.stringMatching(
      /^a request of 65548 bytes, with room for its outputs, can't wait, the limit is 10; \d+ ms remain to its deadline$/,
    ) as string,
  });
});
