import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** How models of the Python backend are run: by the stub of the Python that `program` is. */
export interface PythonRuntime {
  readonly program: string;
  readonly stub: string;
  /** Folder of the program; the stub finds the packages of the first python3 in PATH. */
  readonly programFolder: string;
  /** Folder of libpython where it is not one that the linker knows; else empty. */
  readonly libraryFolder: string;
}

interface PythonFacts {
  readonly version: string;
  readonly executable: string;
  readonly libraryFolder: string;
  readonly library: string;
  readonly numpy: string;
}

const question = `
import json, sys, sysconfig
try:
    import numpy
    found = numpy.__version__
except Exception as error:
    found = ""
print(json.dumps({
    "version": "%d.%d" % sys.version_info[:2],
    "executable": sys.executable,
    "libraryFolder": sysconfig.get_config_var("LIBDIR") or "",
    "library": sysconfig.get_config_var("INSTSONAME") or "",
    "numpy": found,
}))`;

interface Ended {
  readonly code: number | string | null;
  readonly output: string;
  readonly errors: string;
}

function run(program: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(program, [...args], { env, timeout: 20_000 }, (error, output, errors) => {
      resolve({ code: error === null ? 0 : (error.code ?? error.signal ?? null), output, errors });
    });
  });
}

/** Compiles what lies below a folder, so that the stub doesn't, and the core sees no files change after a load. */
export async function compileModules(program: string, folder: string, env: NodeJS.ProcessEnv): Promise<void> {
  await run(program, ['-m', 'compileall', '-q', folder], env);
}

async function askPython(program: string, env: NodeJS.ProcessEnv): Promise<PythonFacts | string> {
  const { code, output, errors } = await run(program, ['-c', question], env);
  if (code === 'ENOENT') return `no program "${program}": install Python 3, or name one in ROUNDHOUSE_PYTHON`;
  try {
    return JSON.parse(output) as PythonFacts;
  } catch {
    return `"${program}" ended with ${code}: ${(errors || output).trim().slice(-300)}`;
  }
}

function stubsIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).sort((a, b) => a.localeCompare(b, 'en', { numeric: true }));
}

/** The stub ends with 1 when it is run without arguments; a loader that lacks a library with 127. */
async function whyStubFails(
  stub: string,
  facts: PythonFacts,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  const { code, errors } = await run(stub, [], env);
  if (code === 1) return null;
  const missing = /libpython[\w.]+: cannot open shared object/.test(errors);
  const advice = missing ? `; on Debian: apt-get install libpython${facts.version}` : '';
  return `the stub of Python ${facts.version} does not start: ${errors.trim().slice(-300) || code}${advice}`;
}

/**
 * The runtime for models of the Python backend, or why there is none: no Python, one without a stub in
 * `stubs`, without its shared library or without numpy, which Triton's own Python module imports.
 */
export async function findPython(
  program: string,
  stubs: string,
  env: NodeJS.ProcessEnv,
): Promise<PythonRuntime | string> {
  const facts = await askPython(program, env);
  if (typeof facts === 'string') return facts;
  const { version, executable } = facts;
  const stub = join(stubs, version, 'triton_python_backend_stub');
  if (!existsSync(stub)) {
    const there = stubsIn(stubs).join(', ') || 'none: run node scripts/setup.mjs triton';
    return `Python ${version} (${executable}) has no stub; there are ${there}. Name another in ROUNDHOUSE_PYTHON`;
  }
  const install = `${executable} -m pip install 'numpy<2'`;
  if (facts.numpy === '') {
    return `Python ${version} (${executable}) lacks numpy, which the Python backend needs: ${install}`;
  }
  // Triton's module is built for numpy 1: with numpy 2 every output tensor is empty, without an error.
  if (Number.parseInt(facts.numpy, 10) >= 2) {
    return `Python ${version} (${executable}) has numpy ${facts.numpy}, with which the Python backend of Triton 24.10 returns empty tensors: ${install}`;
  }
  const libraryFolder = existsSync(join(facts.libraryFolder, facts.library)) ? facts.libraryFolder : '';
  const path = libraryFolder === '' ? env : { ...env, LD_LIBRARY_PATH: libraryFolder };
  const why = await whyStubFails(stub, facts, path);
  return why ?? { program: executable, stub, programFolder: dirname(executable), libraryFolder };
}
