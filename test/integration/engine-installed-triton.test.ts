import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { toolchainPath } from '#launcher/toolchain';
import { projectPath } from '#schemas/project-root';
import { startEngineProcess } from './engine-process';

/** As NVIDIA's images have it: lib/libtritonserver.so with its libraries, and caches/. */
function layOutTriton(home: string): void {
  const wheel = toolchainPath(process.env, 'triton');
  const libraries = join(wheel, 'nvidia_pytriton.libs');
  mkdirSync(join(home, 'lib'), { recursive: true });
  for (const name of readdirSync(libraries).filter((one) => !one.startsWith('libtritonserver'))) {
    symlinkSync(join(libraries, name), join(home, 'lib', name));
  }
  symlinkSync(realpathSync(join(libraries, 'libtritonserver.so')), join(home, 'lib', 'libtritonserver.so'));
  symlinkSync(join(wheel, 'pytriton', 'tritonserver', 'caches'), join(home, 'caches'));
}

/** What `node scripts/setup.mjs triton` does with TRITON_HOME set, without its lock: other set-ups may run. */
async function layOutToolchain(tritonHome: string, toolchain: string): Promise<void> {
  const module = pathToFileURL(projectPath('scripts', 'setup', 'triton-core.mjs')).href;
  const places = JSON.stringify({ tritonHome, toolchain });
  const program = `const { tritonCore } = await import('${module}'); await tritonCore(${places}).run();`;
  await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
}

test('an engine serves the shipped models on a Triton that is installed elsewhere', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-installed-triton-'));
  const home = join(folder, 'tritonserver');
  const toolchain = join(folder, 'toolchain');
  layOutTriton(home);
  try {
    await layOutToolchain(home, toolchain);
    const engine = await startEngineProcess(projectPath('models'), {
      ROUNDHOUSE_TOOLCHAIN_DIR: toolchain,
      ROUNDHOUSE_DEVICES: 'cpu',
    });
    expect(await engine.stop()).toBe(0);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 120_000);
