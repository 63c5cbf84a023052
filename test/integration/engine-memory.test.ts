import { EngineService } from '#lib/engine-client/engine-service';
import { startEngineProcess } from './engine-process';
import { makeRepository } from './engine-repository';
import { oneAtATime } from './echo-queue';

jest.setTimeout(60_000);

test('an engine whose backends hold nothing of a GPU says so; a limit that is none ends it with the reason', async () => {
  const repository = makeRepository({ echo: oneAtATime });
  const env = { ROUNDHOUSE_GPU_MEMORY_LIMIT_BYTES: '24000000000' };
  const engine = await startEngineProcess(repository.folder, env);
  const service = new EngineService(engine.address);
  try {
    expect(await service.ask('Memory', 5_000)).toEqual({ gpus: [], uses: [] });
  } finally {
    service.close();
    await engine.stop();
  }
  const wrong = startEngineProcess(repository.folder, { ROUNDHOUSE_GPU_MEMORY_LIMIT_BYTES: '24GB' });
  await expect(wrong).rejects.toThrow();
  repository.remove();
});
