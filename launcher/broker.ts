import { execFile } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { RoundhouseError } from '#schemas/errors';
import { projectPath } from '#schemas/project-root';
import { brokerProperties, javaFlags, type ProxiedPort } from './broker-properties';
import { javaCommand, javaEnvironment, withJavaHint } from './java';
import { freePort, loopback, requireFreePort } from './ports';
import { SupervisedProcess, type ProcessEvent } from './processes';
import { brokerAnswers } from './tcp-probe';
import { toolchainPath } from './toolchain';

export interface EmbeddedOptions {
  /** What the process inherits; also says where the toolchain and Java are. */
  readonly env: NodeJS.ProcessEnv;
  /** Where the data lies; kept when the process is killed and started again. */
  readonly folder: string;
  readonly logFile: string;
  /** Any free port when absent. */
  readonly port?: number;
  /** Of a broker: a second listener behind a proxy. */
  readonly proxied?: ProxiedPort;
  readonly onEvent?: (event: ProcessEvent) => void;
  /** Called before the process is ready, so that an impatient caller can end it. */
  readonly onSpawn?: (process: SupervisedProcess) => void;
  readonly abort?: AbortSignal;
}

export interface EmbeddedServer {
  /** host:port */
  readonly address: string;
  readonly process: SupervisedProcess;
}

/**
 * A real Kafka broker of one node, ready for clients. Rejects with PORT_IN_USE, or DEPENDENCY_ABSENT with
 * the end of the broker's log.
 */
export async function startBroker(options: EmbeddedOptions): Promise<EmbeddedServer> {
  if (options.port !== undefined) await requireFreePort(options.port, 'the Kafka broker');
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await startOn(options, options.port ?? (await freePort()), await freePort());
    } catch (error) {
      if (options.port !== undefined || attempt === 3 || !/Address already in use/.test(String(error)))
        throw error;
    }
  }
}

async function startOn(
  options: EmbeddedOptions,
  port: number,
  controllerPort: number,
): Promise<EmbeddedServer> {
  mkdirSync(options.folder, { recursive: true });
  const here = realpathSync(options.folder);
  const { proxied } = options;
  const properties = brokerProperties({ dataFolder, port, controllerPort, ...(proxied && { proxied }) });
  writeFileSync(join(here, 'server.properties'), properties);
  if (!existsSync(join(here, dataFolder))) {
    const template = realpathSync(await formattedFolder(options.env, options.abort));
    cpSync(template, join(here, dataFolder), { recursive: true });
  }
  options.abort?.throwIfAborted();
  const command = javaCommand(options.env);
  const broker = new SupervisedProcess(
    {
      name: 'broker',
      command,
      args: [...javaFlags, ...javaPlaces(options.env, here), 'kafka.Kafka', 'server.properties'],
      cwd: here,
      environment: () => javaEnvironment(options.env),
      logFile: options.logFile,
      ready: () => brokerAnswers(port),
      readyTimeoutMs: 60_000,
      stopTimeoutMs: 5_000,
      restarts: true,
    },
    options.onEvent,
  );
  options.onSpawn?.(broker);
  await broker.start().catch((error: unknown) => {
    throw withJavaHint(error, command);
  });
  return { address: `${loopback}:${port}`, process: broker };
}

/** Relative to the working folder of Java: a comma in a path of Kafka, or a colon in a class path, would part it. */
const dataFolder = 'data';

export function javaPlaces(env: NodeJS.ProcessEnv, from: string): string[] {
  const place = (path: string): string => relative(from, realpathSync(path));
  const logging = place(projectPath('toolchain', 'kafka', 'log4j2.properties'));
  return [`-Dlog4j2.configurationFile=${logging}`, '-cp', join(place(toolchainPath(env, 'kafka')), '*')];
}

/**
 * A data folder as `kafka.tools.StorageTool format` leaves it. Formatting takes a JVM start, so it is done
 * once and copied: the formatted folder holds ids, no ports or paths.
 */
async function formattedFolder(env: NodeJS.ProcessEnv, abort?: AbortSignal): Promise<string> {
  const template = projectPath('.roundhouse', 'broker-template');
  if (existsSync(template)) return template;
  mkdirSync(projectPath('.roundhouse'), { recursive: true });
  const fresh = mkdtempSync(`${template}.new-`);
  try {
    const properties = brokerProperties({ dataFolder, port: 1, controllerPort: 2 });
    await formatStorage(env, realpathSync(fresh), { properties, users: [], signal: abort });
    renameSync(join(fresh, dataFolder), template);
  } catch (error) {
    if (!existsSync(template)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true, maxRetries: 3 });
  }
  return template;
}

export interface StorageOptions {
  readonly properties: string;
  /** As the tool takes them: `SCRAM-SHA-512=[name=…,password=…]`. */
  readonly users: readonly string[];
  readonly signal?: AbortSignal | undefined;
}

/** Makes the data folder that the properties name, relative to `folder`. */
export async function formatStorage(
  env: NodeJS.ProcessEnv,
  folder: string,
  { properties, users, signal }: StorageOptions,
): Promise<void> {
  writeFileSync(join(folder, 'format.properties'), properties);
  const clusterId = 'cm91bmRob3VzZS1sb2NhbA';
  const tool = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', 'format.properties'];
  const scram = users.flatMap((user) => ['--add-scram', user]);
  const flags = ['-Xmx128m', '-XX:TieredStopAtLevel=1', ...javaPlaces(env, folder)];
  const options = { env: javaEnvironment(env), cwd: folder, ...(signal === undefined ? {} : { signal }) };
  const command = javaCommand(env);
  await promisify(execFile)(command, [...flags, ...tool, ...scram], options).catch((error: unknown) => {
    signal?.throwIfAborted();
    const { stderr = '', message } = error as { stderr?: string; message: string };
    const absent = new RoundhouseError(
      'DEPENDENCY_ABSENT',
      `Kafka's format tool failed: ${stderr || message}`,
    );
    throw withJavaHint(absent, command);
  });
}
