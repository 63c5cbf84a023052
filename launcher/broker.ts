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
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RoundhouseError } from '#schemas/errors';
import { projectPath } from '#schemas/project-root';
import { brokerProperties, javaFlags, type BrokerPlace } from './broker-properties';
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
  const place = { dataFolder: join(options.folder, 'data'), port, controllerPort };
  const properties = join(options.folder, 'server.properties');
  mkdirSync(options.folder, { recursive: true });
  writeFileSync(properties, brokerProperties(place));
  if (!existsSync(place.dataFolder))
    const template = realpathSync(await formattedFolder(options.env, options.abort));
  cpSync(template, place.dataFolder, { recursive: true });
  options.abort?.throwIfAborted();
  const broker = new SupervisedProcess(
    {
      name: 'broker',
      command: javaCommand(options.env),
      args: [...javaFlags, ...loggingFlags(), '-cp', classPath(options.env), 'kafka.Kafka', properties],
      environment: () => options.env,
      logFile: options.logFile,
      ready: () => brokerAnswers(port),
      readyTimeoutMs: 60_000,
      stopTimeoutMs: 5_000,
      restarts: true,
    },
    options.onEvent,
  );
  options.onSpawn?.(broker);
  await broker.start();
  return { address: `${loopback}:${port}`, process: broker };
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
    await format(env, fresh, abort);
    renameSync(join(fresh, 'data'), template);
  } catch (error) {
    if (!existsSync(template)) throw error;
  } finally {
    rmSync(fresh, { recursive: true });
  }
  return template;
}

async function format(env: NodeJS.ProcessEnv, folder: string, signal?: AbortSignal): Promise<void> {
  const place: BrokerPlace = { dataFolder: join(folder, 'data'), port: 1, controllerPort: 2 };
  const properties = join(folder, 'format.properties');
  writeFileSync(properties, brokerProperties(place));
  const clusterId = 'cm91bmRob3VzZS1sb2NhbA';
  const tool = ['kafka.tools.StorageTool', 'format', '-t', clusterId, '-c', properties];
  const flags = ['-Xmx128m', '-XX:TieredStopAtLevel=1', '-cp', classPath(env)];
  const options = signal === undefined ? { env } : { env, signal };
  await promisify(execFile)(javaCommand(env), [...flags, ...tool], options);
}

function javaCommand(env: NodeJS.ProcessEnv): string {
  const home = env['JAVA_HOME'];
  const command = home ? join(home, 'bin', 'java') : 'java';
  if (home && !existsSync(command)) {
    throw new RoundhouseError('DEPENDENCY_ABSENT', `JAVA_HOME is ${home}, which holds no bin/java`);
  }
  return command;
}

function classPath(env: NodeJS.ProcessEnv): string {
  return join(toolchainPath(env, 'kafka'), '*');
}

function loggingFlags(): string[] {
  return [`-Dlog4j2.configurationFile=${projectPath('toolchain', 'kafka', 'log4j2.properties')}`];
}
