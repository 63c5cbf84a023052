import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import type { WorkerConfig } from '../config';
import { connectOverShm } from '../data-plane/shm-engine-client';
import type { WorkerEvents } from '../events';

/** For what isn't inference, at least. */
const CONTROL_TIMEOUT_MS = 5_000;

export function connectToEngine(
  address: string,
  onHangUp: (reason: string) => void,
  config: WorkerConfig,
  events: WorkerEvents,
): EngineClient {
  // A probe may take as long as the engine may be silent.
  const controlTimeoutMs = Math.max(CONTROL_TIMEOUT_MS, config.engineSilenceFloorMs);
  const grpc = connectEngine({ address, controlTimeoutMs });
  if (config.dataPlane === 'grpc') return grpc;
  const { dataPlanePoolBytes: poolBytes, dataPlaneWhenEmpty: whenEmpty } = config;
  return connectOverShm({ address, grpc, events, poolBytes, whenEmpty, onHangUp });
}
