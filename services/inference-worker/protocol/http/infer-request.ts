import type { InferMessage, RequestedOutput, WireTensor } from '#lib/engine-client/infer-messages';
import type { RegionReference } from '#lib/engine-client/region-parameters';
import { mostParameters, parameterRow, type ParameterValue } from '#lib/engine-client/request-parameters';
import { RoundhouseError } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';
import type { Json, JsonObject } from './exact-json';
import { invalid } from './http-fault';
import type { BinaryTail, InferBody } from './infer-body';
import { arrayOf, booleanOf, objectOf, parametersOf, sizeOf, stringOf } from './json-fields';
import { packData } from './tensor-data';

/** A request for the engine, and in which form its answer goes back. */
export interface HttpInfer {
  readonly message: InferMessage;
  /** Whether an output goes back as bytes after the JSON. */
  isBinary(output: string): boolean;
  /** Microseconds; undefined where the request says nothing. */
  readonly timeoutUs: number | undefined;
}

const noBytes = new Uint8Array(0);

function regionOf(parameters: JsonObject, where: string): RegionReference | undefined {
  const region = parameters.get('shared_memory_region');
  if (region === undefined) return undefined;
  const key = (name: string): string => `${where}.parameters.shared_memory_${name}`;
  return {
    region: stringOf(region, key('region')),
    byteSize: sizeOf(parameters.get('shared_memory_byte_size'), key('byte_size')),
    offset: sizeOf(parameters.get('shared_memory_offset') ?? 0, key('offset')),
  };
}

function shapeOf(value: Json | undefined, where: string): number[] {
  return arrayOf(value, where).map((dimension, i) => sizeOf(dimension, `${where}[${i}]`));
}

function inputOf(value: Json, tail: BinaryTail, where: string): WireTensor {
  const input = objectOf(value, where);
  const name = stringOf(input.get('name'), `${where}.name`);
  const at = `${where} "${shownText(name, 80)}"`;
  const datatype = stringOf(input.get('datatype'), `${at}.datatype`);
  const shape = shapeOf(input.get('shape'), `${at}.shape`);
  const parameters = parametersOf(input, `${at}.`);
  const region = regionOf(parameters, at);
  const size = parameters.get('binary_data_size');
  const data = input.get('data');
  if ([region, size, data].filter((one) => one !== undefined).length > 1) {
    throw invalid(`${at}: data, binary_data_size and shared_memory_region exclude each other`);
  }
  const tensor = { name, datatype, shape };
  if (region !== undefined) return { ...tensor, data: noBytes, region };
  if (size !== undefined) {
    const key = `${at}.parameters.binary_data_size`;
    return { ...tensor, data: tail.take(sizeOf(size, key), key) };
  }
  return { ...tensor, data: packData(arrayOf(data, `${at}.data`), datatype, shape, `${at}.data`) };
}

interface HttpOutput extends RequestedOutput {
  /** undefined: as the request says for all. */
  readonly binary: boolean | undefined;
}

function outputOf(value: Json, where: string): HttpOutput {
  const output = objectOf(value, where);
  const name = stringOf(output.get('name'), `${where}.name`);
  const parameters = parametersOf(output, `${where}.`);
  if (parameters.has('classification')) {
    throw invalid(`${where}.parameters.classification: not supported, take the whole output`);
  }
  const binary = parameters.get('binary_data');
  return {
    name,
    region: regionOf(parameters, where),
    binary: binary === undefined ? undefined : booleanOf(binary, `${where}.parameters.binary_data`),
  };
}

/** What is meant for us; the rest goes to the engine. */
const forUs = 'binary_data_output';

function requestParameters(parameters: JsonObject) {
  const rest = [...parameters].filter(([key]) => key !== forUs);
  if (rest.length > mostParameters)
    throw invalid(`parameters: ${rest.length}, the limit is ${mostParameters}`);
  try {
    return parameterRow(Object.fromEntries(rest) as Record<string, ParameterValue>);
  } catch (error) {
    throw error instanceof RoundhouseError ? invalid(error.message) : error;
  }
}

function timeoutOf(parameters: JsonObject): number | undefined {
  const timeout = parameters.get('timeout');
  if (typeof timeout !== 'number' && typeof timeout !== 'bigint') return undefined;
  return timeout > 0 ? Number(timeout) : undefined;
}

function twice(names: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const [i, name] of names.entries()) {
    if (seen.has(name)) throw invalid(`${what}[${i}] "${shownText(name, 80)}".name: stands there twice`);
    seen.add(name);
  }
}

/** Throws 400 naming the field that is wrong. Model and version come from the path. */
export function httpInferOf(model: string, version: string, { json, tail }: InferBody): HttpInfer {
  const id = json.get('id');
  const parameters = parametersOf(json, '');
  const tensors = arrayOf(json.get('inputs'), 'inputs').map((value, i) =>
    inputOf(value, tail, `inputs[${i}]`),
  );
  tail.checkAllTaken();
  const outputs = arrayOf(json.get('outputs') ?? [], 'outputs').map((value, i) =>
    outputOf(value, `outputs[${i}]`),
  );
  twice(
    outputs.map(({ name }) => name),
    'outputs',
  );
  const allBinary = parameters.get(forUs);
  const byDefault = allBinary !== undefined && booleanOf(allBinary, `parameters.${forUs}`);
  const binary = new Map(outputs.map((output) => [output.name, output.binary ?? byDefault]));
  return {
    message: {
      model,
      version,
      id: id === undefined ? '' : stringOf(id, 'id'),
      tensors,
      outputs,
      parameters: requestParameters(parameters),
    },
    isBinary: (name) => binary.get(name) ?? byDefault,
    timeoutUs: timeoutOf(parameters),
  };
}
