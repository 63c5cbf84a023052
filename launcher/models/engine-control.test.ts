import { EngineControl } from './engine-control';

test('an address that nobody listens on is said with what to do about it', async () => {
  const engine = new EngineControl('127.0.0.1:1');
  await expect(engine.index()).rejects.toMatchObject({
    code: 'ENGINE_LOST',
    message: expect.stringMatching(/^127\.0\.0\.1:1: nobody listens there; .*--serve.*--url/),
  });
  engine.close();
});
