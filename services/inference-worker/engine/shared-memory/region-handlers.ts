import type { UntypedServiceImplementation } from '@grpc/grpc-js';
import { unary } from '../unary-handlers';
import type { SharedMemoryRegions } from './regions';

interface RegisterRequest {
  readonly name: string;
  readonly key: string;
  readonly offset: number;
  readonly byte_size: number;
}

/** KServe v2's calls for system shared memory. */
export function regionHandlers(regions: SharedMemoryRegions): UntypedServiceImplementation {
  return {
    SystemSharedMemoryRegister: unary(({ name, key, offset, byte_size: byteSize }: RegisterRequest) => {
      regions.register({ name, key, offset, byteSize });
      return {};
    }),
    SystemSharedMemoryUnregister: unary(({ name }: { name: string }) => {
      regions.unregister(name);
      return {};
    }),
    SystemSharedMemoryStatus: unary(({ name }: { name: string }) => {
      const shown = regions.status(name).map(({ name: own, key, offset, byteSize }) => {
        return [own, { name: own, key, offset, byte_size: byteSize }] as const;
      });
      return { regions: Object.fromEntries(shown) };
    }),
  };
}
