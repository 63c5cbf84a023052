import { writeFileSync } from 'node:fs';
import { connectEngine } from '#lib/engine-client/grpc';
import type { UnixMs } from '#schemas/brands';
import { startEngineProcess } from './engine-process';
import { echoConfig, echoInputs, makeRepository } from './engine-repository';

test('a repository with broken configurations: the others serve, not ready, file and line are named', async () => {
  const broken = makeRepository({
    // "data_tpye" begins at column 10 of line 4.
    typo: 'backend: "echo"\nmax_batch_size: 8\ninput [\n { name: "data" data_tpye: TYPE_INT32 dims: [ -1 ] }\n]\n',
    nodims: echoConfig().replace('dims: [ 2 ]', ''),
    refuses: echoConfig('parameters { key: "fail_at_load" value { string_value: "1" } }'),
    echo: echoConfig(),
  });
  const partly = await startEngineProcess(broken.folder);
  const client = connectEngine({ address: partly.address });
  const echo = { model: 'echo', version: '', requestId: 'r', inputs: echoInputs([1]) };
  expect(await client.isReady()).toBe(false);
  expect((await client.infer(echo, (Date.now() + 5_000) as UnixMs)).version).toBe('1');
  const rejected = partly.log.filter(({ event }) => event === 'ModelRejected');
  const configOf = (model: string) => `${broken.folder}/${model}/config.pbtxt`;
  expect(rejected).toMatchObject([
    { model: 'nodims', file: configOf('nodims'), reason: expect.stringMatching(/must specify 'dims'/) },
    { model: 'refuses', reason: expect.stringMatching(/told to fail at load/) },
    { model: 'typo', file: configOf('typo'), line: 4, reason: expect.stringMatching(/data_tpye/) },
  ]);
  const index = await client.repositoryIndex();
  expect(index.find(({ name }) => name === 'typo')).toMatchObject({
    state: 'UNAVAILABLE',
    reason: expect.stringContaining('typo/config.pbtxt:4:'),
  });
  writeFileSync(`${broken.folder}/typo/config.pbtxt`, echoConfig());
  await client.loadModel('typo');
  expect(await client.isModelReady('typo')).toBe(true);
  await client.close();
  expect(await partly.stop()).toBe(0);
  broken.remove();
});
