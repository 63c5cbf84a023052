import type { EngineClient, ModelState } from './port';

/** What every client asks over gRPC, whatever carries its tensors. */
export abstract class ControlOverGrpc {
  constructor(protected readonly grpc: EngineClient) {}

  isLive(): Promise<boolean> {
    return this.grpc.isLive();
  }
  isReady(): Promise<boolean> {
    return this.grpc.isReady();
  }
  isModelReady(model: string, version?: string): Promise<boolean> {
    return this.grpc.isModelReady(model, version);
  }
  repositoryIndex(): Promise<readonly ModelState[]> {
    return this.grpc.repositoryIndex();
  }
  loadModel(model: string): Promise<void> {
    return this.grpc.loadModel(model);
  }
  unloadModel(model: string): Promise<void> {
    return this.grpc.unloadModel(model);
  }
}
