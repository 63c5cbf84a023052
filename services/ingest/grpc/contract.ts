import {
  loadPackageDefinition,
  type GrpcObject,
  type ServiceClientConstructor,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { projectPath } from '#schemas/project-root';

/** Absent fields stay absent, so that the round's defaults hold; 64-bit integers are strings of digits. */
const options = { keepCase: false, longs: String, enums: String, arrays: false, defaults: false } as const;

function serviceOf(file: string, path: readonly string[]) {
  const definition = loadPackageDefinition(loadSync(projectPath('schemas', 'proto', file), options));
  let found: GrpcObject | ServiceClientConstructor = definition;
  for (const name of path) found = (found as GrpcObject)[name] as GrpcObject | ServiceClientConstructor;
  return (found as ServiceClientConstructor).service;
}

const sizes = new WeakMap<object, number>();

/** Of a request as it came; grpc-js hands out what it was decoded to. */
export function bytesOfRequest(request: object): number {
  return sizes.get(request) ?? 0;
}

function withSizes(service: ServiceDefinition): ServiceDefinition {
  return Object.fromEntries(
    Object.entries(service).map(([name, method]) => {
      const requestDeserialize = (bytes: Buffer): object => {
        const request = method.requestDeserialize(bytes) as object;
        sizes.set(request, bytes.length);
        return request;
      };
      return [name, { ...method, requestDeserialize }];
    }),
  );
}

export const dispatchService = withSizes(serviceOf('roundhouse.proto', ['roundhouse', 'v1', 'Dispatch']));
export const healthService = serviceOf('health.proto', ['grpc', 'health', 'v1', 'Health']);
