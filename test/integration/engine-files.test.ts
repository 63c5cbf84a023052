import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadBindings } from '#native/confine/bindings';
import { projectPath } from '#schemas/project-root';
import { startEngineProcess, type LogLine } from './engine-process';
import { python, whyNoPython } from './python-environment';

jest.setTimeout(60_000);

/** A model with code of its own tries to read, to write and to reach out, and prints what came of it: 0 or errno. */
const nosy = `
import json, os, sys, tempfile
def attempt(act):
    try:
        act()
        return 0
    except OSError as error:
        return error.errno
def write(path):
    with open(path, "w") as file:
        file.write("x")
class TritonPythonModel:
    def initialize(self, args):
        secret, parent = PLACES
        here = os.path.dirname(__file__)
        print("found " + json.dumps({
            "its own code": attempt(lambda: open(__file__).read()),
            "a temporary file": attempt(lambda: write(os.path.join(tempfile.gettempdir(), "x"))),
            "shared memory": attempt(lambda: write("/dev/shm/roundhouse-nosy-%d" % os.getpid())),
            "another's file": attempt(lambda: open(secret).read()),
            "another's folder": attempt(lambda: os.listdir(os.path.dirname(secret))),
            "a file written over": attempt(lambda: write(secret)),
            "a file removed": attempt(lambda: os.unlink(secret)),
            "a new file": attempt(lambda: write(secret + ".new")),
            "a file beside the model": attempt(lambda: write(os.path.join(here, "x"))),
            "the worker's environment": attempt(lambda: open("/proc/%d/environ" % parent).read()),
            "a signal to the worker": attempt(lambda: os.kill(parent, 0)),
        }), flush=True)
        if os.path.exists("/dev/shm/roundhouse-nosy-%d" % os.getpid()):
            os.unlink("/dev/shm/roundhouse-nosy-%d" % os.getpid())
    def execute(self, requests):
        return []
`;
const config = `name: "nosy"
backend: "python"
input [{ name: "x", data_type: TYPE_FP32, dims: [ 1 ] }]
output [{ name: "y", data_type: TYPE_FP32, dims: [ 1 ] }]
instance_group [{ kind: KIND_CPU }]
`;
const allowed = ['its own code', 'a temporary file', 'shared memory'];
const [EPERM, EACCES] = [1, 13];
/** Landlock closes signals from this version on. */
const closesSignals = 6;

let folder: string;
let models: string;

/** Not below /tmp, where this may be a clone: what lies there may be listed and removed. */
const place = projectPath().startsWith('/tmp/') ? '/var/tmp' : projectPath('.roundhouse');

beforeEach(() => {
  mkdirSync(place, { recursive: true });
  folder = mkdtempSync(join(place, 'files-'));
  models = join(folder, 'models');
  mkdirSync(join(models, 'nosy', '1'), { recursive: true });
  mkdirSync(join(folder, 'secrets'));
  const secret = join(folder, 'secrets', 'password');
  writeFileSync(secret, 'opensesame');
  writeFileSync(join(models, 'nosy', 'config.pbtxt'), config);
  const places = JSON.stringify([secret, process.pid]);
  writeFileSync(join(models, 'nosy', '1', 'model.py'), nosy.replace('PLACES', places));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function found(
  env: Record<string, string>,
): Promise<{ confined: LogLine; of: Record<string, number> }> {
  const all = { ROUNDHOUSE_PYTHON: python, ROUNDHOUSE_DEVICES: 'cpu', ...env };
  const { log, stop } = await startEngineProcess(models, all, { confined: true });
  expect(await stop()).toBe(0);
  const named = (event: string): LogLine => log.find((line) => line.event === event)!;
  const printed = log.map(({ event, text }) => (event === 'PythonPrinted' ? String(text) : ''));
  const words = printed.find((text) => text.startsWith('found '))?.slice('found '.length);
  if (words === undefined) throw new Error(`nothing was found: ${JSON.stringify(named('ModelRejected'))}`);
  return { confined: named('EngineConfined'), of: JSON.parse(words) as Record<string, number> };
}

const missing =
  whyNoPython() ?? (loadBindings().landlockVersion() === 0 ? 'this kernel has no Landlock' : null);
if (missing !== null) test.skip(`what a model may open: ${missing}`, () => undefined);
const whenThere = missing === null ? test : test.skip;

whenThere('code of a model opens what is the engine’s, and nothing else of its user', async () => {
  const { confined, of } = await found({ ROUNDHOUSE_ENGINE_CONFINEMENT: 'required' });
  expect(confined).toMatchObject({ holds: true, lacking: '', files: 'own' });
  const ofSignals = loadBindings().landlockVersion() < closesSignals ? 0 : EPERM;
  for (const [what, errno] of Object.entries(of)) {
    const expected = what.startsWith('a signal') ? ofSignals : EACCES;
    expect([what, errno]).toEqual([what, allowed.includes(what) ? 0 : expected]);
  }
});

whenThere('what is named beside is open, and everything where that is wanted', async () => {
  const named = await found({
    ROUNDHOUSE_ENGINE_READS: join(folder, 'secrets'),
    ROUNDHOUSE_ENGINE_WRITES: models,
  });
  expect(named.confined).toMatchObject({ holds: true, files: 'own' });
  expect(named.of).toMatchObject({
    "another's file": 0,
    "another's folder": 0,
    'a file written over': EACCES,
    'a file removed': EACCES,
    'a file beside the model': 0,
  });
  const any = await found({ ROUNDHOUSE_ENGINE_FILES: 'any' });
  expect(any.confined).toMatchObject({ holds: true, files: 'any' });
  // Whether the environment is read then, is up to the rights that the worker has.
  const { "the worker's environment": _, ...others } = any.of;
  expect(Object.values(others)).toEqual(Object.keys(others).map(() => 0));
});

whenThere(
  'with a launcher that is broken it serves all the same and says so, or starts not at all',
  async () => {
    const launcher = join(folder, 'only-files');
    writeFileSync(launcher, '#!/not/there\n', { mode: 0o755 });
    const env = { ROUNDHOUSE_DEVICES: 'cpu', ROUNDHOUSE_ENGINE_MODELS: 'candidate_cost' };
    const options = { confined: true, launcher };
    const { log, stop } = await startEngineProcess(projectPath('models'), env, options);
    expect(await stop()).toBe(0);
    const fault = 'files: build/native/only-files does not run (ENOENT)';
    expect(log.find(({ event }) => event === 'EngineConfined')).toMatchObject({
      holds: false,
      lacking: fault,
    });
    expect(log.find(({ event }) => event === 'EngineListened')).toMatchObject({ ready: true });
    const required = { ...env, ROUNDHOUSE_ENGINE_CONFINEMENT: 'required' };
    await expect(startEngineProcess(projectPath('models'), required, options)).rejects.toMatchObject({
      code: 2,
      message: expect.stringContaining(`ROUNDHOUSE_ENGINE_CONFINEMENT=required, and ${fault}`) as string,
    });
  },
);
