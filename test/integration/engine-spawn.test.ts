import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTelemetry } from '#lib/telemetry';
import { EngineProcess } from '#services/inference-worker/sentinel/engine-process';
import { projectPath } from '#schemas/project-root';

jest.setTimeout(30_000);

/** In a process of its own with 64 descriptors, all of them in use while the engine is started and stopped. */
const program = `
const { openSync, closeSync } = require('node:fs');
const { EngineProcess } = require(${JSON.stringify(projectPath('dist/services/inference-worker/sentinel/engine-process.js'))});
const start = (seen) => new EngineProcess({
  mainFile: '/nowhere', env: {}, socket: '/nowhere/engine.sock', nice: false,
  logger: { error: () => undefined, info: () => undefined, warn: () => undefined },
  onReady: () => seen.push('ready'),
  onExit: (end) => seen.push(end),
});
(async () => {
  const seen = [];
  const held = [];
  for (;;) try { held.push(openSync('/dev/null')); } catch { break; }
  const engine = start(seen);
  const { pid } = engine;
  await engine.stop();
  const words = await engine.lastWords();
  held.forEach((descriptor) => closeSync(descriptor));
  const next = start(seen);
  const { pid: nextPid } = next;
  await next.stop();
  console.log(JSON.stringify({ seen, pid, words, isNextThere: nextPid > 0 }));
})();
`;

test('without a descriptor for its pipes an engine has not started; with some the next one has', () => {
  const shell = `ulimit -n 64 && exec "${process.execPath}" -e "$PROGRAM"`;
  const { stdout, stderr } = spawnSync('sh', ['-c', shell], {
    env: { PATH: process.env['PATH'], PROGRAM: program },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    seen: [
      { code: null, signal: null },
      { code: null, signal: 'SIGKILL' },
    ],
    pid: 0,
    words: expect.stringMatching(/EMFILE/) as string,
    isNextThere: true,
  });
});

/** glibc reads it before anything of ours runs, so it has to be there. */
test.each([
  [{}, '2'],
  [{ MALLOC_ARENA_MAX: '8' }, '8'],
])(
  'an engine keeps few heaps for its threads, or as many as its environment says: %j',
  async (env, heaps) => {
    const folder = mkdtempSync(join(tmpdir(), 'roundhouse-spawn-'));
    const mainFile = join(folder, 'main.js');
    writeFileSync(mainFile, "console.error('heaps: ' + process.env.MALLOC_ARENA_MAX)");
    const { logger } = createTelemetry({ service: 'worker', logLevel: 'silent' });
    const engine = await new Promise<EngineProcess>((resolve) => {
      const onExit = (): void => resolve(started);
      const rest = {
        socket: join(folder, 'engine.sock'),
        nice: false,
        logger,
        onReady: () => undefined,
        onExit,
      };
      const started = new EngineProcess({ mainFile, env, ...rest });
    });
    expect(await engine.lastWords()).toBe(`heaps: ${heaps}`);
    rmSync(folder, { recursive: true });
  },
);
