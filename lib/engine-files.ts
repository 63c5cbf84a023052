import { existsSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { projectPath, projectRoot } from '#schemas/project-root';
import type { Env } from './config';

/** With all that is below them; what isn't there is passed over. */
export interface EngineFiles {
  /** Only the names. */
  readonly list: readonly string[];
  /** The names; folders may be made, and what is there removed. */
  readonly folders: readonly string[];
  readonly read: readonly string[];
  /** New ones, and written; what is there may be others' and isn't read. */
  readonly create: readonly string[];
  /** And written, created and removed. */
  readonly write: readonly string[];
}

/** What programs are made of. Of /etc no more, since others keep their passwords there. */
const system = [
  ...['/usr', '/lib', '/lib64', '/bin', '/sbin', '/proc', '/sys'],
  ...['ld.so.cache', 'ld.so.preload', 'ssl/certs', 'ssl/openssl.cnf', 'localtime', 'os-release'].map(inEtc),
  ...['passwd', 'group', 'nsswitch.conf', 'locale.alias', 'hosts', 'resolv.conf'].map(inEtc),
];
/** A link is followed where it is named itself: programs of several versions may share what was built. */
const ofProject = ['dist', 'node_modules', 'build', 'build/native', 'schemas', 'package.json'].map((name) =>
  projectPath(name),
);
const devices = ['null', 'zero', 'full', 'random', 'urandom', 'shm'].map((name) => join('/dev', name));
const gpuDevice = /^(nvidia|dri$)/;

function inEtc(name: string): string {
  return join('/etc', name);
}

const isGpuThere = (): boolean => existsSync('/dev/nvidiactl');

/** Whether an engine may open what is its own and nothing else; without a word, where it has no GPU. */
export function hasOwnFilesOnly(env: Env): boolean {
  if (env['ROUNDHOUSE_ENGINE_CONFINEMENT'] === 'off') return false;
  const wanted = env['ROUNDHOUSE_ENGINE_FILES'] || 'auto';
  return wanted === 'auto' ? env['ROUNDHOUSE_DEVICES'] === 'cpu' || !isGpuThere() : wanted === 'own';
}

const pathsIn = (list = ''): string[] => list.split(delimiter).filter((path) => isAbsolute(path));

/** With its library and, of a virtual environment, the Python that it was made of. */
function placesOfPython(program: string, path = ''): string[] {
  const named = program.includes('/')
    ? [resolve(program)]
    : path.split(delimiter).map((folder) => join(folder, program));
  const found = named.find((file) => existsSync(file));
  if (found === undefined) return [];
  return [found, realpathSync(found)].flatMap((file) => {
    const folder = dirname(dirname(file));
    return [file, ...['bin', 'lib', 'lib64', 'pyvenv.cfg'].map((name) => join(folder, name))];
  });
}

/** Where the kernel puts cores of this process and its children, if it is a folder for them. */
export function coreFolder(limits: string, pattern: string): string[] {
  const isWanted = !/^Max core file size\s+0\s/m.test(limits);
  const folder = dirname(pattern);
  return isWanted && isAbsolute(pattern) && folder !== '/' && !folder.includes('%') ? [folder] : [];
}

function coresHere(): string[] {
  try {
    const [limits, pattern] = ['/proc/self/limits', '/proc/sys/kernel/core_pattern'].map((file) =>
      readFileSync(file, 'utf8'),
    );
    return coreFolder(limits!, pattern!.trim());
  } catch {
    return [];
  }
}

/** Of NVIDIA's driver, and what it and TensorRT keep of what they have compiled. */
function ofGpus(env: Env): string[] {
  if (env['ROUNDHOUSE_DEVICES'] === 'cpu' || !isGpuThere()) return [];
  const home = env['HOME'] ?? '';
  const cache = env['XDG_CACHE_HOME'] || (home && join(home, '.cache'));
  const plans = env['ROUNDHOUSE_PLAN_DIR'] || (cache && join(cache, 'roundhouse', 'plans'));
  const kept = [plans, home && join(home, '.nv')].filter((path) => path !== '');
  const names = readdirSync('/dev').filter((name) => gpuDevice.test(name));
  return [...kept, ...names.map((name) => join('/dev', name))];
}

/** What an engine with this environment needs, which has its defaults, too. */
export function filesOfEngine(env: Env): EngineFiles {
  const at = (key: string, fallback: string): string => resolve(projectRoot, env[key] || fallback);
  const files = [
    'ROUNDHOUSE_ONNXRUNTIME',
    'ROUNDHOUSE_TENSORRT_LIBRARY',
    'NODE_EXTRA_CA_CERTS',
    'OPENSSL_CONF',
  ];
  return {
    list: ['/dev'],
    // The core's Python backend makes a folder here at its start, and aborts at its end where it can't try to remove
    // it as a file and then as a folder. It can't be told of another place.
    folders: ['/tmp'],
    read: [
      ...system,
      ...ofProject,
      process.execPath,
      at('ROUNDHOUSE_MODELS_DIR', 'models'),
      at('ROUNDHOUSE_TOOLCHAIN_DIR', '.roundhouse/toolchain'),
      at('ROUNDHOUSE_ENGINE_BACKENDS_DIR', 'build/native/backends'),
      ...placesOfPython(env['ROUNDHOUSE_PYTHON'] || 'python3', env['PATH']),
      ...files.flatMap((key) => env[key] || []),
      ...pathsIn(env['LD_LIBRARY_PATH']),
      ...pathsIn(env['PYTHONPATH']),
      ...pathsIn(env['ROUNDHOUSE_ENGINE_READS']),
    ],
    create: coresHere(),
    write: [
      dirname(at('ROUNDHOUSE_ENGINE_SOCKET', '.roundhouse/run/engine.sock')),
      ...devices,
      ...ofGpus(env),
      ...pathsIn(env['ROUNDHOUSE_ENGINE_WRITES']),
    ],
  };
}
