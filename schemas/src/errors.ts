/**
 * The closed table of error codes. `retry` says whether another attempt helps (`never`, `same` target,
 * `elsewhere`), `grpc` the status at a gRPC edge, `http` the status at an HTTP edge, `atKafka` what a
 * consumer does with the message. docs/errors.md is generated from it.
 */
export const errorCodes = {
  CONFIG_INVALID: {
    retry: 'never',
    grpc: null,
    http: null,
    atKafka: 'refuse to start',
    meaning: 'The configuration of a process is wrong; every fault is listed.',
  },
  DEPENDENCY_ABSENT: {
    retry: 'same',
    grpc: 'UNAVAILABLE',
    http: 503,
    atKafka: 'wait, then exit non-zero',
    meaning: 'Kafka, Redis or the engine did not answer in the configured time.',
  },
  PORT_IN_USE: {
    retry: 'never',
    grpc: null,
    http: null,
    atKafka: 'refuse to start',
    meaning: 'A port or socket of ours is taken.',
  },
  CLOCK_SKEWED: {
    retry: 'never',
    grpc: null,
    http: null,
    atKafka: 'refuse to start',
    meaning: 'The clock differs from the broker by more than the limit.',
  },
  ROUND_INVALID: {
    retry: 'never',
    grpc: 'INVALID_ARGUMENT',
    http: 400,
    atKafka: 'dead-letter, commit',
    meaning: 'A round has faults; all are listed with path, value and limit.',
  },
  ROUND_CONFLICT: {
    retry: 'never',
    grpc: 'ALREADY_EXISTS',
    http: 409,
    atKafka: 'dead-letter, commit',
    meaning: 'The same runId and roundId came with other content.',
  },
  ROUND_TOO_LARGE: {
    retry: 'never',
    grpc: 'RESOURCE_EXHAUSTED',
    http: 413,
    atKafka: 'dead-letter, commit',
    meaning: 'A body, a count or a message is above its limit, which is named.',
  },
  INGEST_BUSY: {
    retry: 'same',
    grpc: 'UNAVAILABLE',
    http: 503,
    atKafka: null,
    meaning: 'Ingest has too many bytes in work, or rounds need more time at present than this one has.',
  },
  CONTENT_TYPE_UNSUPPORTED: {
    retry: 'never',
    grpc: 'INVALID_ARGUMENT',
    http: 415,
    atKafka: null,
    meaning: 'A body is said to be something other than JSON in UTF-8.',
  },
  UNAUTHENTICATED: {
    retry: 'never',
    grpc: 'UNAUTHENTICATED',
    http: 401,
    atKafka: null,
    meaning: 'No credential that is known and has not expired came with the request.',
  },
  FORBIDDEN: {
    retry: 'never',
    grpc: 'PERMISSION_DENIED',
    http: 403,
    atKafka: null,
    meaning: 'The credential is for another tenant, or lacks the scope that the request needs.',
  },
  QUOTA_EXCEEDED: {
    retry: 'same',
    grpc: 'RESOURCE_EXHAUSTED',
    http: 429,
    atKafka: null,
    meaning:
      'The tenant, or the address, has asked for more than its quota; the answer says when to ask again.',
  },
  NOT_FOUND: {
    retry: 'never',
    grpc: 'NOT_FOUND',
    http: 404,
    atKafka: null,
    meaning: 'No such round, model or version.',
  },
  DECISION_GONE: {
    retry: 'never',
    grpc: 'NOT_FOUND',
    http: 410,
    atKafka: null,
    meaning: 'The decision is no longer kept for requests; the topic dispatch.decisions has it longer.',
  },
  PAYLOAD_INVALID: {
    retry: 'never',
    grpc: 'INVALID_ARGUMENT',
    http: 400,
    atKafka: 'dead-letter, commit',
    meaning: 'Bytes that are not what their schema or tensor contract says.',
  },
  SCHEMA_UNKNOWN: {
    retry: 'never',
    grpc: 'INVALID_ARGUMENT',
    http: 400,
    atKafka: 'dead-letter, commit',
    meaning: "The writer's schema fingerprint is not in the schema store.",
  },
  DEADLINE_EXCEEDED: {
    retry: 'never',
    grpc: 'DEADLINE_EXCEEDED',
    http: 504,
    atKafka: 'publish late, commit',
    meaning: 'There was no time left.',
  },
  ENGINE_BUSY: {
    retry: 'elsewhere',
    grpc: 'RESOURCE_EXHAUSTED',
    http: 503,
    atKafka: 'reroute while time remains',
    meaning: "The engine's queue is full.",
  },
  ENGINE_LOST: {
    retry: 'elsewhere',
    grpc: 'UNAVAILABLE',
    http: 503,
    atKafka: 'reroute while time remains',
    meaning: 'The engine died or hung up while it had the request.',
  },
  DEVICE_FAULT: {
    retry: 'elsewhere',
    grpc: 'UNAVAILABLE',
    http: 503,
    atKafka: 'reroute while time remains',
    meaning: 'The device or its context is broken; this engine serves no more.',
  },
  MODEL_FAILED: {
    retry: 'never',
    grpc: 'INTERNAL',
    http: 500,
    atKafka: 'publish failed, commit',
    meaning: 'The model or backend reported an error.',
  },
  MODEL_UNAVAILABLE: {
    retry: 'elsewhere',
    grpc: 'UNAVAILABLE',
    http: 503,
    atKafka: 'publish failed, commit',
    meaning: 'The model or version is not loaded.',
  },
  TRAVEL_MATRIX_UNKNOWN: {
    retry: 'never',
    grpc: 'FAILED_PRECONDITION',
    http: 400,
    atKafka: 'publish failed, commit',
    meaning: 'No travel matrix with that content hash is in the model repository.',
  },
  MDRP_INVALID: {
    retry: 'never',
    grpc: null,
    http: null,
    atKafka: null,
    meaning: 'An MDRP folder is unreadable or inconsistent: file, line and reason.',
  },
  RECORDING_INVALID: {
    retry: 'never',
    grpc: null,
    http: null,
    atKafka: null,
    meaning: 'A recording or a run is unreadable or inconsistent: file, place and reason.',
  },
  IMPORT_INVALID: {
    retry: 'never',
    grpc: null,
    http: null,
    atKafka: null,
    meaning: 'Files to import are unreadable or inconsistent: file, line and reason.',
  },
  SHUTTING_DOWN: {
    retry: 'same',
    grpc: 'UNAVAILABLE',
    http: 503,
    atKafka: 'leave uncommitted',
    meaning: 'The process is stopping and takes no new work.',
  },
  INTERNAL: {
    retry: 'same',
    grpc: 'INTERNAL',
    http: 500,
    atKafka: 'dead-letter, commit',
    meaning: 'A fault of ours.',
  },
} as const;

export type ErrorCode = keyof typeof errorCodes;

export function isErrorCode(text: string): text is ErrorCode {
  return Object.hasOwn(errorCodes, text);
}

/** Whether a message that is refused with the code goes to dispatch.dead-letters. */
export function isDeadLettered(code: ErrorCode): boolean {
  return errorCodes[code].atKafka?.startsWith('dead-letter') === true;
}

/** One fault of an input: where, what stood there, and what is allowed. */
export interface Fault {
  readonly path: string;
  readonly value: string;
  readonly limit: string;
}

/** Callers branch on `code` through the table, never on the message. */
export class RoundhouseError extends Error {
  /** Of a request that was refused: milliseconds to its deadline then. undefined: not said, or it has none. */
  readonly remainingMs: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly faults: readonly Fault[] = [],
    options?: { readonly cause?: unknown; readonly remainingMs?: number | undefined },
  ) {
    super(message, options);
    this.name = 'RoundhouseError';
    this.remainingMs = options?.remainingMs;
  }
}
