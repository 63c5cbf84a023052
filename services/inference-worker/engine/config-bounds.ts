import { fieldsOf, TooDeep, wholeNumber, type ConfigField } from './config-text';

/** What a configuration asks of the engine, at most: beyond it a load would take minutes, or all of the memory. */
export const configLimits = {
  bytes: 1_048_576,
  /** Of a model on a device, over all groups: each has a thread, and of Python a process. */
  instances: 256,
  maxBatchSize: 65_536,
  candidateSequences: 4_096,
  /** Requests of all warm-ups. */
  warmUpRequests: 1_000,
  /** Values of an input of a warm-up, batch included. */
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

function instanceFault(config: readonly ConfigField[]): ConfigFault | null {
  let instances = 0;
  for (const group of named(config, 'instance_group')) {
    instances += Math.max(1, numberIn(group.fields, 'count', 1));
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

function sequenceFault(config: readonly ConfigField[]): ConfigFault | null {
  const oldest = named(config, 'sequence_batching').flatMap(({ fields }) => named(fields, 'oldest'));
  const field = oldest.flatMap(({ fields }) => named(fields, 'max_candidate_sequences')).at(-1);
  const what = 'sequence_batching.oldest.max_candidate_sequences';
  return beyond(field, what, wholeNumber(field?.value ?? '') ?? 0, configLimits.candidateSequences);
}

function valuesFault(warmUp: ConfigField): ConfigFault | null {
  const batch = Math.max(1, numberIn(warmUp.fields, 'batch_size', 0));
  for (const input of named(warmUp.fields, 'inputs').flatMap(({ fields }) => named(fields, 'value'))) {
    const sizes = named(input.fields, 'dims').map(({ value }) => Math.max(1, wholeNumber(value) ?? 1));
    const values = sizes.reduce((product, size) => product * size, batch);
    const what = 'model_warmup.inputs.dims, times batch_size,';
    const fault = beyond(place(input, 'dims'), what, values, configLimits.warmUpValues);
    if (fault !== null) return fault;
  }
  return null;
}

function warmUpFault(config: readonly ConfigField[]): ConfigFault | null {
  let requests = 0;
  for (const warmUp of named(config, 'model_warmup')) {
    requests += Math.max(1, numberIn(warmUp.fields, 'count', 0));
    const what = 'model_warmup.count, all together,';
    const fault =
      beyond(place(warmUp, 'count'), what, requests, configLimits.warmUpRequests) ?? valuesFault(warmUp);
    if (fault !== null) return fault;
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
