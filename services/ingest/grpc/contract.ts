import { loadPackageDefinition, type GrpcObject, type ServiceClientConstructor } from '@grpc/grpc-js';
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

export const dispatchService = serviceOf('roundhouse.proto', ['roundhouse', 'v1', 'Dispatch']);
export const healthService = serviceOf('health.proto', ['grpc', 'health', 'v1', 'Health']);
