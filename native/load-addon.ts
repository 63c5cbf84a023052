import { projectPath } from '#schemas/project-root';

interface Addon {
  abiVersion(): number;
}

interface AddonSettings {
  readonly abiVersion: number;
  /** What is thrown where the file does not load or has another ABI. */
  fault(message: string, cause?: unknown): Error;
}

/** Loads build/native/NAME.node, once. */
export function addonLoader<Bindings extends Addon>(name: string, settings: AddonSettings): () => Bindings {
  let loaded: Bindings | undefined;
  return () => (loaded ??= load(projectPath('build', 'native', `${name}.node`), settings) as Bindings);
}

function load(file: string, { abiVersion, fault }: AddonSettings): Addon {
  const bindings = required(file, fault);
  const found = bindings.abiVersion();
  if (found !== abiVersion) throw fault(`${file} has ABI ${found}, needed is ${abiVersion}: build it again`);
  return bindings;
}

function required(file: string, fault: AddonSettings['fault']): Addon {
  try {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    return require(file) as Addon;
  } catch (cause) {
    throw fault(`${file} does not load`, cause);
  }
}
