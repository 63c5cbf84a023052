import { fieldsOf, TooDeep, wholeNumber, type ConfigField } from './config-text';

/** What a configuration asks of the engine, at most: beyond it a load would take minutes, or all of the memory. */
export const configLimits = {
  /** To read more would hold up whoever the engine answers. */
  bytes: 262_144,
  /** Of a model on a device, over all groups: each has a thread, and of Python a process. */
  instances: 256,
  maxBatchSize: 65_536,
  candidateSequences: 4_096,
  /** Sequences that the instances of a model on a device can have at once, all together. */
  sequences: 262_144,
  /** Values of the states of a sequence, all together. */
  stateValues: 16_777_216,
  /** Requests of all warm-ups. */
  warmUpRequests: 1_000,
  /** Values of the inputs of all warm-ups, batch included. */
  warmUpValues: 16_777_216,
} as const;

export interface ConfigFault {
  readonly line: number;
  readonly column: number;
  readonly reason: string;
}

/** A configuration that the core must not get. */
export class ConfigBeyond extends Error {
  constructor(
    readonly file: string,
    readonly fault: ConfigFault,
  ) {
    super(fault.reason);
  }
}

const named = (fields: readonly ConfigField[], name: string) => fields.filter((field) => field.name === name);

/** Of the last of that name, as the core takes it; a fault of the text is for the core to find. */
function numberIn(fields: readonly ConfigField[], name: string, otherwise: number): number {
  return wholeNumber(named(fields, name).at(-1)?.value ?? '') ?? otherwise;
}

function beyond(at: ConfigField | undefined, what: string, value: number, limit: number): ConfigFault | null {
  if (value <= limit) return null;
  return {
    line: at?.line ?? 0,
    column: at?.column ?? 0,
    reason: `${what} is ${value}, the limit is ${limit}`,
  };
}

function place(message: ConfigField, name: string): ConfigField {
  return named(message.fields, name).at(-1) ?? message;
}

/** Of the product of dimensions; one that varies counts as 1. */
function valuesOf(message: ConfigField): number {
  const sizes = named(message.fields, 'dims').map(({ value }) => Math.max(1, wholeNumber(value) ?? 1));
  return sizes.reduce((product, size) => product * size, 1);
}

/** A group has its count on each of its GPUs, on one that it names twice twice as many. */
function instancesOf(group: ConfigField): number {
  const gpus = named(group.fields, 'gpus').map(({ value }) => wholeNumber(value));
  const times = gpus.map((gpu) => gpus.filter((other) => other === gpu).length);
  return Math.max(1, numberIn(group.fields, 'count', 1)) * Math.max(1, ...times);
}

/** Of a device; a model that says nothing gets at least one. */
function allInstances(config: readonly ConfigField[]): number {
  return Math.max(
    1,
    named(config, 'instance_group').reduce((sum, group) => sum + instancesOf(group), 0),
  );
}

function instanceFault(config: readonly ConfigField[]): ConfigFault | null {
  let instances = 0;
  for (const group of named(config, 'instance_group')) {
    instances += instancesOf(group);
    const what = 'instance_group.count, all groups together,';
    const fault = beyond(place(group, 'count'), what, instances, configLimits.instances);
    if (fault !== null) return fault;
  }
  return null;
}

function batchFault(config: readonly ConfigField[]): ConfigFault | null {
  const field = named(config, 'max_batch_size').at(-1);
  return beyond(field, 'max_batch_size', numberIn(config, 'max_batch_size', 0), configLimits.maxBatchSize);
}

function candidatesFault(oldest: readonly ConfigField[]): ConfigFault | null {
  const field = oldest.flatMap(({ fields }) => named(fields, 'max_candidate_sequences')).at(-1);
  const what = 'sequence_batching.oldest.max_candidate_sequences';
  return beyond(field, what, wholeNumber(field?.value ?? '') ?? 0, configLimits.candidateSequences);
}

/** The core makes a place for each when it loads the model. */
function placesFault(config: readonly ConfigField[], batching: ConfigField): ConfigFault | null {
  const candidates = named(batching.fields, 'oldest').map(({ fields }) =>
    numberIn(fields, 'max_candidate_sequences', 0),
  );
  const each = Math.max(1, numberIn(config, 'max_batch_size', 0), ...candidates);
  const what = 'sequence_batching, instances times max_batch_size or max_candidate_sequences,';
  return beyond(batching, what, allInstances(config) * each, configLimits.sequences);
}

/** An initial state that is larger than memory ends the engine, and the next one that loads it. */
function stateFault(batching: ConfigField): ConfigFault | null {
  let values = 0;
  for (const state of named(batching.fields, 'state')) {
    for (const message of [state, ...named(state.fields, 'initial_state')]) {
      values += valuesOf(message);
      const what = 'sequence_batching.state.dims, with initial_state, all together,';
      const fault = beyond(place(message, 'dims'), what, values, configLimits.stateValues);
      if (fault !== null) return fault;
    }
  }
  return null;
}

function sequenceFault(config: readonly ConfigField[]): ConfigFault | null {
  const batchings = named(config, 'sequence_batching');
  const oldest = batchings.flatMap(({ fields }) => named(fields, 'oldest'));
  const faults = batchings.map((batching) => placesFault(config, batching) ?? stateFault(batching));
  return candidatesFault(oldest) ?? faults.find((fault) => fault !== null) ?? null;
}

function warmUpFault(config: readonly ConfigField[]): ConfigFault | null {
  let requests = 0;
  let values = 0;
  for (const warmUp of named(config, 'model_warmup')) {
    requests += Math.max(1, numberIn(warmUp.fields, 'count', 0));
    const what = 'model_warmup.count, all together,';
    const fault = beyond(place(warmUp, 'count'), what, requests, configLimits.warmUpRequests);
    if (fault !== null) return fault;
    const batch = Math.max(1, numberIn(warmUp.fields, 'batch_size', 0));
    for (const input of named(warmUp.fields, 'inputs').flatMap(({ fields }) => named(fields, 'value'))) {
      values += batch * valuesOf(input);
      const dims = 'model_warmup.inputs.dims, times batch_size, all together,';
      const tooMany = beyond(place(input, 'dims'), dims, values, configLimits.warmUpValues);
      if (tooMany !== null) return tooMany;
    }
  }
  return null;
}

/** The first thing in a config.pbtxt that is beyond the limits; null where there is none. */
export function boundFault(text: string): ConfigFault | null {
  const size = Buffer.byteLength(text);
  if (size > configLimits.bytes) {
    return { line: 0, column: 0, reason: `the file has ${size} bytes, the limit is ${configLimits.bytes}` };
  }
  try {
    const config = fieldsOf(text);
    return instanceFault(config) ?? batchFault(config) ?? sequenceFault(config) ?? warmUpFault(config);
  } catch (error) {
    if (!(error instanceof TooDeep)) throw error;
    return { line: error.line, column: error.column, reason: error.message };
  }
}
