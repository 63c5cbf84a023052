import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from '#lib/config';
import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import { engineChild } from '#lib/engine-child';
import type { ModelRef } from '#schemas/domain';
import { RoundhouseError } from '#schemas/errors';
import { projectPath } from '#schemas/project-root';
import { endOf, stopChild } from '../../../launcher/models/scratch-engine';

/** An engine that serves this process alone. */
export interface OwnEngine {
  readonly client: EngineClient;
  readonly deviceKind: string;
  readonly pid: number;
  /** Rejects when the engine ends by itself, with how it ended. */
  readonly lost: Promise<never>;
  stop(): Promise<void>;
}

export interface EngineOptions {
  readonly env: Env;
  readonly modelsDir: string;
  /** All of them must serve. */
  readonly models: readonly ModelRef[];
  readonly signal: AbortSignal;
  /** Hears what of its confinement the engine lacks. */
  tellError(line: string): void;
}

interface EngineMessage {
  readonly type?: string;
  readonly kind?: unknown;
  readonly lacking?: unknown;
}

const startMs = 120_000;
const lessConfined = 'the engine of the replay is less confined than it is to be (docs/security.md)';

function spawnEngine({ env, modelsDir, models }: EngineOptions, socket: string): ChildProcess {
  const main = projectPath('dist', 'services', 'inference-worker', 'engine', 'main.js');
  const { program, args, ...own } = engineChild([process.execPath, main], env, {
    ROUNDHOUSE_MODELS_DIR: modelsDir,
    ROUNDHOUSE_ENGINE_SOCKET: socket,
    ROUNDHOUSE_ENGINE_MODELS: [...new Set(models.map(({ name }) => name))].join(','),
    ROUNDHOUSE_MODELS_POLL_MS: '0',
    ROUNDHOUSE_LOG_LEVEL: 'silent',
  });
  return spawn(program, args, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    // Of its own process group: a Ctrl-C comes to it through us.
    detached: true,
    env: own.env,
  });
}

/** Throws MODEL_UNAVAILABLE with the engine's reasons where a version does not serve. */
async function requireModels(client: EngineClient, models: readonly ModelRef[]): Promise<void> {
  const states = await client.repositoryIndex();
  const faults = models.flatMap(({ name, version }) => {
    const state = states.find((one) => one.name === name && one.version === version);
    if (state?.state === 'READY') return [];
    const reasons = states.filter((one) => one.name === name).map(({ reason }) => reason);
    return [
      `${name} ${version}: ${state?.reason || reasons.find((reason) => reason !== '') || 'not loaded'}`,
    ];
  });
  if (faults.length > 0) throw new RoundhouseError('MODEL_UNAVAILABLE', faults.join('; '));
}

/**
 * Resolves when the engine serves; rejects with ENGINE_LOST and what it said where it doesn't, with
 * MODEL_UNAVAILABLE where it lacks a model.
 */
export async function startOwnEngine(options: EngineOptions): Promise<OwnEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-replay-'));
  const socket = join(folder, 'engine.sock');
  const child = spawnEngine(options, socket);
  const ended = endOf(child);
  let deviceKind = 'cpu';
  const ready = new Promise<null>((resolve) => {
    child.on('message', ({ type, kind, lacking }: EngineMessage) => {
      if (type === 'devices') {
        deviceKind = String(kind);
        if (lacking) options.tellError(`${lessConfined}: ${String(lacking)}`);
      }
      if (type === 'ready') resolve(null);
    });
  });
  const kill = (): void => void child.kill('SIGKILL');
  const slow = setTimeout(kill, startMs);
  options.signal.addEventListener('abort', kill, { once: true });
  const failure = await Promise.race([ready, ended]);
  clearTimeout(slow);
  options.signal.removeEventListener('abort', kill);
  if (failure !== null) {
    rmSync(folder, { recursive: true, force: true });
    options.signal.throwIfAborted();
    throw new RoundhouseError('ENGINE_LOST', `the engine of the replay: ${failure}`);
  }
  const client = connectEngine({ address: `unix:${socket}`, maxMessageBytes: 64 * 1024 * 1024 });
  const lost = ended.then((how) => {
    throw new RoundhouseError('ENGINE_LOST', `the engine of the replay: ${how}`);
  });
  lost.catch(() => undefined);
  const stop = async (): Promise<void> => {
    await client.close();
    await stopChild(child, ended);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await requireModels(client, options.models);
  } catch (error) {
    await stop();
    throw error;
  }
  return { client, deviceKind, pid: child.pid!, lost, stop };
}
