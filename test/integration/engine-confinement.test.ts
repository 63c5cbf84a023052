import { readFileSync } from 'node:fs';
import { hasCapabilities } from '#native/confine/confine-process';
import { projectPath } from '#schemas/project-root';
import { startEngineProcess } from './engine-process';

const modelsDir = projectPath('models');
const env = { ROUNDHOUSE_ENGINE_MODELS: 'candidate_cost', ROUNDHOUSE_DEVICES: 'cpu' };
const isPrivileged = hasCapabilities(readFileSync('/proc/self/status', 'latin1'));
if (!isPrivileged)
  test.skip('this user has no capabilities that an engine could be started with', () => undefined);

const whenPrivileged = isPrivileged ? test : test.skip;

whenPrivileged(
  'an engine that was started with capabilities says so, and is none where they may not be',
  async () => {
    const engine = await startEngineProcess(modelsDir, env);
    expect(engine.log.find(({ event }) => event === 'EngineConfined')).toMatchObject({
      holds: false,
      lacking: expect.stringMatching(/^it was started with capabilities, files: .+/) as string,
    });
    await engine.stop();
    const required = { ...env, ROUNDHOUSE_ENGINE_CONFINEMENT: 'required' };
    await expect(startEngineProcess(modelsDir, required)).rejects.toMatchObject({
      code: 2,
      message: expect.stringContaining('it was started with capabilities') as string,
    });
  },
  60_000,
);
