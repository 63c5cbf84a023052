/** Triton's own codes, those of the addon, and of admission (the last two). */
const tritonErrorCodes = [
  'UNKNOWN',
  'INTERNAL',
  'NOT_FOUND',
  'INVALID_ARG',
  'UNAVAILABLE',
  'UNSUPPORTED',
  'ALREADY_EXISTS',
  'CANCELLED',
  'STOPPED',
  'WRONG_HANDLE',
  'LOAD_FAILED',
  'ENGINE_BUSY',
  'DEADLINE_EXCEEDED',
] as const;
export type TritonErrorCode = (typeof tritonErrorCodes)[number];

export class TritonError extends Error {
  /** Of a request that was refused: milliseconds to its deadline; undefined where it has none. */
  readonly remainingMs: number | undefined;

  constructor(
    readonly code: TritonErrorCode,
    message: string,
    options?: { readonly cause?: unknown; readonly remainingMs?: number | undefined },
    /** What the core wrote to standard error while it loaded a model. */
    readonly log = '',
  ) {
    super(message, options);
    this.name = 'TritonError';
    this.remainingMs = options?.remainingMs;
  }
}

/** What the addon threw, as a TritonError; anything else unchanged. */
export function asTritonError(error: unknown): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  const known = tritonErrorCodes.find((name) => name === code);
  if (known === undefined || error instanceof TritonError) return error;
  const { message, log, remainingMs } = error as Error & { log?: string; remainingMs?: number };
  return new TritonError(known, message, { cause: error, remainingMs }, log);
}
