import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TritonResult } from '#native/triton/server-types';
import { TritonServer } from '#native/triton/triton-server';
import { projectPath } from '#schemas/project-root';
import { backendDirectory, coreLibrary } from './engine-repository';

export const shippedNetwork = projectPath('models/delivery_time/1/model.onnx');
export const constantNetwork = projectPath('test/fixtures/onnx/constant.onnx');

/** TritonCore over a copy of the shipped repository, so that a test may add versions and matrices. */
export class BackendHost implements AsyncDisposable {
  private constructor(
    readonly server: TritonServer,
    readonly repository: string,
  ) {}

  static async start(models: readonly string[]): Promise<BackendHost> {
    const repository = mkdtempSync(join(tmpdir(), 'roundhouse-models-'));
    for (const model of ['candidate_cost', 'delivery_time', 'route_planner']) {
      cpSync(projectPath('models', model), join(repository, model), { recursive: true });
    }
    const server = await TritonServer.start({ coreLibrary, modelRepository: repository, backendDirectory });
    const host = new BackendHost(server, repository);
    for (const model of models) await server.loadModel(model);
    return host;
  }

  /** Adds models/delivery_time/<version> with the file. */
  addNetwork(version: string, file: string): void {
    mkdirSync(join(this.repository, 'delivery_time', version), { recursive: true });
    cpSync(file, join(this.repository, 'delivery_time', version, 'model.onnx'));
  }

  /** Adds a version of candidate_cost with a pin on a network of the repository; `sha256` may lie. */
  addPin(version: string, network: string, sha256?: string): void {
    const found = createHash('sha256')
      .update(readFileSync(join(this.repository, network)))
      .digest('hex');
    const folder = join(this.repository, 'candidate_cost', version);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'network.json'), JSON.stringify({ network, sha256: sha256 ?? found }));
  }

  addTravelMatrix(file: Uint8Array): string {
    const hash = createHash('sha256').update(file).digest('hex');
    mkdirSync(join(this.repository, 'travel'), { recursive: true });
    writeFileSync(join(this.repository, 'travel', `${hash}.bin`), file);
    return hash;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.server.stop();
    rmSync(this.repository, { recursive: true, force: true });
  }
}

/** Copies of a result's outputs by name; gives the result back. */
export function outputsOf(result: TritonResult): Readonly<Record<string, Uint8Array>> {
  const copies = Object.fromEntries(result.outputs.map(({ name, data }) => [name, Uint8Array.from(data)]));
  result.release();
  return copies;
}

export const int32Of = (bytes: Uint8Array) => Array.from(new Int32Array(Uint8Array.from(bytes).buffer));
export const int64Of = (bytes: Uint8Array) => Array.from(new BigInt64Array(Uint8Array.from(bytes).buffer));
export const floatOf = (bytes: Uint8Array) => Array.from(new Float32Array(Uint8Array.from(bytes).buffer));

interface Statistics {
  readonly model_stats: readonly {
    readonly version: string;
    readonly inference_count: number;
    readonly execution_count: number;
    readonly inference_stats: { readonly success: { count: number }; readonly fail: { count: number } };
    readonly batch_stats: readonly {
      readonly batch_size: number;
      readonly compute_infer: { count: number };
    }[];
  }[];
}

export function statisticsOf(server: TritonServer, model: string) {
  return (server.modelStatistics(model) as Statistics).model_stats;
}
