import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials } from '@grpc/grpc-js';
import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import { loadProtocol } from '#lib/engine-client/protocol';
import type { UnixMs } from '#schemas/brands';
import { startEngineProcess, type RunningEngine } from './engine-process';
import { echoConfig, echoInputs, makeRepository } from './engine-repository';

export const all = 'version_policy: { all: { } }';
/** The test backend refuses a model whose configuration has this; so only a version's own files may not. */
export const broken = 'parameters [ { key: "fail_at_load" value: { string_value: "x" } } ]';

/** A repository with the model echo, all of whose versions serve, and an engine on it once it is started. */
export class ServedRepository {
  readonly repository = makeRepository({ echo: echoConfig(all) });
  engine!: RunningEngine;
  client!: EngineClient;

  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    this.engine = await startEngineProcess(this.repository.folder, env);
    this.client = connectEngine({ address: this.engine.address });
  }

  /** Adds a version of echo, whole at once. */
  put(version: string): void {
    const folder = join(this.repository.folder, 'echo');
    mkdirSync(join(folder, `.${version}`));
    writeFileSync(join(folder, `.${version}`, 'model.txt'), version);
    renameSync(join(folder, `.${version}`), join(folder, version));
  }

  /** The version that answers, or the code of the refusal. */
  async answers(version: string): Promise<string> {
    const request = { model: 'echo', version, requestId: '', inputs: echoInputs([1, 2]) };
    const deadline = (Date.now() + 10_000) as UnixMs;
    return this.client.infer(request, deadline).then(
      (response) => response.version,
      (error: { code: string }) => error.code,
    );
  }

  async states(): Promise<Record<string, string>> {
    const rows = await this.client.repositoryIndex();
    return Object.fromEntries(rows.map(({ name, version, state }) => [`${name} ${version}`, state]));
  }

  /** A call as an outside client makes it. */
  ask(method: string, message: object): Promise<Record<string, unknown>> {
    const { path, requestSerialize, responseDeserialize } = loadProtocol().inference[method]!;
    const raw = new Client(this.engine.address, credentials.createInsecure());
    return new Promise<Record<string, unknown>>((resolve, reject) => {
      raw.makeUnaryRequest(path, requestSerialize, responseDeserialize, message, (error, answer) =>
        error === null ? resolve(answer as Record<string, unknown>) : reject(error),
      );
    }).finally(() => raw.close());
  }

  async stop(): Promise<void> {
    await this.client.close();
    await this.engine.stop();
    this.repository.remove();
  }
}

/** Until it says what is waited for; the poll and the core take their time. */
export async function until<T>(ask: () => Promise<T>, good: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (good(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
