import { connectEngine } from '#lib/engine-client/grpc';
import type { EngineClient } from '#lib/engine-client/port';
import type { WorkerConfig } from '../config';
import { connectOverShm } from '../data-plane/shm-engine-client';
import type { WorkerEvents } from '../events';

export function connectToEngine(
  address: string,
  onHangUp: (reason: string) => void,
  config: WorkerConfig,
  events: WorkerEvents,
): EngineClient {
  const grpc = connectEngine({ address, controlTimeoutMs: 5_000 });
  if (config.dataPlane === 'grpc') return grpc;
  const { dataPlanePoolBytes: poolBytes, dataPlaneWhenEmpty: whenEmpty } = config;
  return connectOverShm({ address, grpc, events, poolBytes, whenEmpty, onHangUp });
}
