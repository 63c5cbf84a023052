import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from '#lib/regular-file';
import { withoutComments } from '../ensemble';
import { compileModules, findPython, type PythonRuntime } from './find-python';
import { closeRegions, orphanedRegions, regionPrefix, removeRegions, sweepPython } from './regions';
import { StubOutput } from './stub-output';

export interface PythonBackendOptions {
  readonly repository: string;
  readonly backends: string;
  readonly stubs: string;
  /** The Python to use. */
  readonly program: string;
  /** A path for the FIFO that models print into. */
  readonly outputPath: string;
  readonly env: NodeJS.ProcessEnv;
  /** Sets a variable that programs which the core starts see. */
  exportVariable(name: string, value: string): void;
  onPrinted(text: string): void;
}

const longestLine = 2_000;

/**
 * What the core's Python backend needs around it: a Python that fits, memory under a name of ours, an output
 * to print to. Python is looked for when the first such model is loaded; a machine without one serves the rest.
 */
export class PythonBackend {
  private found: Promise<PythonRuntime | string> | undefined;
  private output: StubOutput | undefined;
  readonly regionPrefix = regionPrefix(process.pid);

  constructor(private readonly options: PythonBackendOptions) {
    sweepPython();
  }

  /** Why the model can't be loaded whatever is in it; null for one of another backend, too. */
  async whyUnfit(model: string): Promise<string | null> {
    if (!this.isPython(model)) return null;
    if (!existsSync(join(this.options.backends, 'python', 'triton_python_backend_stub'))) {
      return 'the Python backend is not set up: run node scripts/setup.mjs python';
    }
    this.found ??= this.find();
    const found = await this.found;
    if (typeof found !== 'string') {
      const { repository, env } = this.options;
      await compileModules(found.program, join(repository, model), env);
      return null;
    }
    // Somebody may install what is missing.
    this.found = undefined;
    return found;
  }

  /** After a load. */
  protectRegions(): void {
    if (this.output !== undefined) closeRegions(process.pid);
  }

  /**
   * Carries out a load that puts a model in the place of one whose stub has ended, and removes the memory that the
   * stub left. What had no stub before the load and has none after it is nobody's.
   */
  async replacing(load: () => Promise<void>): Promise<void> {
    const before = new Set(orphanedRegions(process.pid));
    await load();
    removeRegions(orphanedRegions(process.pid).filter((name) => before.has(name)));
  }

  private isPython(model: string): boolean {
    const file = join(this.options.repository, model, 'config.pbtxt');
    if (!existsSync(file)) return false;
    return /(^|\W)backend\s*:\s*["']python["']/.test(withoutComments(readRegularFile(file).toString()));
  }

  private async find(): Promise<PythonRuntime | string> {
    const { program, stubs, env, exportVariable, outputPath, onPrinted } = this.options;
    const found = await findPython(program, stubs, env);
    if (typeof found === 'string') return found;
    this.output ??= StubOutput.open(outputPath, (line) => onPrinted(line.slice(0, longestLine)));
    exportVariable('RH_PYTHON_STUB', found.stub);
    exportVariable('RH_PYTHON_PROGRAMS', found.programFolder);
    exportVariable('RH_PYTHON_LIBRARIES', found.libraryFolder);
    exportVariable('RH_PYTHON_OUTPUT', outputPath);
    return found;
  }

  close(): void {
    this.output?.close();
  }
}
