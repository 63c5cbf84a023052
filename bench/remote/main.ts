import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { runCommand } from '#lib/command-line';
import { ucxLibrary } from '#native/ucx/ucx-library';
import { projectPath } from '#schemas/project-root';
import { model as passThrough, makeRepository } from '../dataplane/repository';
import { startEngine } from '../engine-process';
import { inFolder } from '../in-folder';
import type { AskingSettings, Order } from './measure-remote';
import { makeNetwork, type Network } from './network';
import { parseOptions, usage, type Options } from './options';
import type { ServingPorts, ServingSettings } from './serving-worker';

const manyAtOnce = { ROUNDHOUSE_ENGINE_MAX_MESSAGE_BYTES: '67108864' };

/** What the engine finds its own programs by, where it is set. */
function given(...keys: string[]): Record<string, string> {
  return Object.fromEntries(keys.flatMap((key) => (process.env[key] ? [[key, process.env[key]]] : [])));
}

type Place = Network['serving'];

/** A program of this folder, in a place of the network. */
function start(program: string, settings: object, { command }: Place): ChildProcess {
  const argv = [
    ...command,
    process.execPath,
    '--expose-gc',
    join(__dirname, program),
    JSON.stringify(settings),
  ];
  return spawn(argv[0]!, argv.slice(1), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

/** The first message that has the field. */
function told<T>(child: ChildProcess, field: string): Promise<T> {
  return new Promise((resolve, reject) => {
    child.on('message', (message: Record<string, T>) => {
      if (field in message) resolve(message[field]!);
    });
    child.once('exit', (code) => reject(new Error(`a process of the bench ended with ${code}`)));
  });
}

async function measure(folder: string, network: Network, options: Options): Promise<object> {
  const library = ucxLibrary(projectPath('.roundhouse', 'toolchain'));
  const socket = join(folder, 'engine.sock');
  const env = { ...manyAtOnce, ...given('ROUNDHOUSE_TOOLCHAIN_DIR', 'ROUNDHOUSE_ONNXRUNTIME') };
  const engine = await startEngine({ models: makeRepository(folder), socket, env });
  const { transports } = options;
  const at: ServingSettings = {
    address: network.serving.address,
    library,
    transports,
    engineSocket: socket,
  };
  const serving = start('serving-worker.js', at, network.serving);
  try {
    const ports = await told<ServingPorts>(serving, 'ports');
    const settings: AskingSettings = { address: network.serving.address, ports, library, options };
    const asking = start('measure-remote.js', settings, network.asking);
    asking.on('message', (message: Partial<Order>) => message.order && serving.send(message.order));
    const figures = await told<object>(asking, 'figures');
    const { kind, why } = network;
    return { model: passThrough, network: kind, ...(why === null ? {} : { why }), ...figures };
  } finally {
    serving.disconnect();
    engine.kill('SIGTERM');
  }
}

async function main(options: Options): Promise<void> {
  const network = makeNetwork(options.network);
  try {
    const figures = await inFolder((folder) => measure(folder, network, options));
    // One line for programs.
    console.log(JSON.stringify(figures, null, process.stdout.isTTY ? 2 : 0));
  } finally {
    network.remove();
  }
}

void runCommand({ usage, parse: parseOptions, run: main });
