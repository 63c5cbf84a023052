import {
  loadPackageDefinition,
  type GrpcObject,
  type ServiceClientConstructor,
  type ServiceDefinition,
} from '@grpc/grpc-js';
import type { PackageDefinition } from '@grpc/proto-loader';
import { asIs } from '#lib/opaque-method';
import { loadProto, roundhouseProto } from '../read/round-proto';

function serviceOf(definition: PackageDefinition, path: readonly string[]): ServiceDefinition {
  let found: GrpcObject | ServiceClientConstructor = loadPackageDefinition(definition);
  for (const name of path) found = (found as GrpcObject)[name] as GrpcObject | ServiceClientConstructor;
  return (found as ServiceClientConstructor).service;
}

/** Requests of these methods are left as bytes, so that their limits are looked at before they are decoded. */
function opaque(service: ServiceDefinition, methods: readonly string[]): ServiceDefinition {
  const named = methods.map((name) => [name, { ...service[name]!, requestDeserialize: asIs }]);
  return { ...service, ...(Object.fromEntries(named) as ServiceDefinition) };
}

const dispatch = serviceOf(roundhouseProto(), ['roundhouse', 'v1', 'Dispatch']);
const health = serviceOf(loadProto('health.proto'), ['grpc', 'health', 'v1', 'Health']);

/** A Round is `parseProto`'s to read. */
export const dispatchService = opaque(dispatch, ['SubmitRound']);
/** What is asked for is not looked at. */
export const healthService = opaque(health, ['Check', 'Watch']);
