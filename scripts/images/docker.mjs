import { spawn, spawnSync } from 'node:child_process';

/** A fault that the reader can act on: shown without a stack. */
export class ImagesError extends Error {}

/** Whether a program can be started at all. */
export const hasProgram = (name, args = ['--version']) => spawnSync(name, args).status === 0;

/** Runs a command to its end; rejects with the end of what it said unless `mayFail`. */
export function execute(command, args, { env, cwd, input, mayFail = false, limitMs = 1_800_000 } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, cwd, timeout: limitMs });
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (data) => (stdout += data));
    child.stderr.on('data', (data) => (stderr += data));
    child.once('error', (error) => reject(new ImagesError(`${command}: ${error.message}`)));
    child.once('close', (code, signal) => {
      if (code === 0 || mayFail) resolve({ code, stdout, stderr });
      else reject(new ImagesError(failure([command, ...args], code ?? signal, stdout + stderr)));
    });
    child.stdin.on('error', () => undefined);
    if (input === undefined) child.stdin.end();
    else input.pipe(child.stdin);
  });
}

function failure(words, code, output) {
  const tail = output.trimEnd().split('\n').slice(-30).join('\n');
  return `${words.join(' ').slice(0, 300)}\nended with ${code}:\n${tail}`;
}

/** Docker's command line, and Compose's, for one daemon. */
export class Docker {
  /** @param {{ host?: string, compose: readonly string[] | null, buildArgs?: readonly string[] }} options */
  constructor({ host, compose, buildArgs = [] }) {
    this.compose = compose;
    this.buildArgs = buildArgs;
    // Without buildx the client refuses to build unless it is told to take the builder that every daemon has.
    const builder = hasProgram('docker', ['buildx', 'version']) ? '1' : '0';
    this.env = { ...process.env, ...(host && { DOCKER_HOST: host }), DOCKER_BUILDKIT: builder };
  }

  run(args, options = {}) {
    return execute('docker', args, { env: this.env, ...options });
  }

  async read(args, options) {
    return (await this.run(args, options)).stdout.trim();
  }

  async json(args) {
    return JSON.parse(await this.read(args));
  }

  /** `source` is a folder, or '-' with a tar archive as the input. */
  build(tag, source, args = [], options = {}) {
    return this.run(['build', ...this.buildArgs, ...args, '--tag', tag, source], options);
  }

  async hasImage(name) {
    return (await this.run(['image', 'inspect', name], { mayFail: true })).code === 0;
  }

  /** `docker compose …` where the plug-in is, else `docker-compose …`. */
  composed(args, options = {}) {
    const [command, ...first] = this.compose;
    return execute(command, [...first, ...args], { env: { ...this.env, ...options.extraEnv }, ...options });
  }
}

/** How Compose is called on this machine; null without it. */
export function composeCommand() {
  if (hasProgram('docker', ['compose', 'version'])) return ['docker', 'compose'];
  return hasProgram('docker-compose', ['version']) ? ['docker-compose'] : null;
}
