import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';

const onnxRuntime = 'node_modules/onnxruntime-node/bin/napi-v6/linux/x64/libonnxruntime.so.1';

/** Where everything is, and the environment in which programs and the pipeline find it. */
export function machineOf({ root, parts, build, out }) {
  const toolchain = join(root, '.roundhouse', 'gpu', 'toolchain');
  const shared = [join(root, '.roundhouse', 'gpu', 'shared'), resolve(root, '../shared')].find((folder) =>
    existsSync(folder),
  );
  const machine = { root, parts, toolchain, out, shared, build: resolve(root, build) };
  return { ...machine, env: environmentOf(machine), gpus: gpusHere() };
}

function environmentOf({ root, parts, toolchain, build }) {
  const { PATH = '', LD_LIBRARY_PATH: libraries = '' } = process.env;
  const java = join(parts, 'runtime', 'jre');
  return {
    ...process.env,
    PATH: `${join(parts, 'runtime', 'bin')}:${PATH}`,
    LD_LIBRARY_PATH: [join(parts, 'runtime', 'redis'), join(parts, 'tensorrt'), libraries]
      .filter((folder) => folder !== '')
      .join(':'),
    ...(existsSync(java) ? { JAVA_HOME: java } : {}),
    ROUNDHOUSE_TOOLCHAIN_DIR: toolchain,
    ROUNDHOUSE_ONNXRUNTIME: join(root, onnxRuntime),
    ROUNDHOUSE_ENGINE_BACKENDS_DIR: join(build, 'backends'),
  };
}

const facts = ['name', 'driver_version', 'compute_cap', 'memory.total'];

/** As nvidia-smi tells them; none where there is no GPU. */
function gpusHere() {
  try {
    const query = [`--query-gpu=${facts.join(',')}`, '--format=csv,noheader'];
    const lines = execFileSync('nvidia-smi', query, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return lines.trim().split('\n').map(gpuOf);
  } catch {
    return [];
  }
}

function gpuOf(line) {
  const [name, driver, computeCapability, memory] = line.split(', ');
  return { name, driver, computeCapability, memory };
}

/** What stands in each result beside the figures. */
export function circumstances({ gpus }, command) {
  return {
    date: new Date().toISOString(),
    gpu: gpus.map((gpu) => `${gpu.name}, ${gpu.memory}`).join('; ') || 'none',
    driver: gpus[0]?.driver ?? 'none',
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim() ?? '?'}`,
    command,
  };
}
