/** An error of an addon, with a code of its closed list. */
export class CodedError<Code extends string> extends Error {
  constructor(
    readonly code: Code,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = new.target.name;
  }
}

type ErrorOf<Code extends string> = new (
  code: Code,
  message: string,
  options?: { cause?: unknown },
) => CodedError<Code>;

/** What an addon threw, as `Known` where its code is one of the list; anything else unchanged. */
export function asCodedError<Code extends string>(
  error: unknown,
  codes: readonly Code[],
  Known: ErrorOf<Code>,
): unknown {
  const code = (error as { code?: unknown } | null)?.code;
  const known = codes.find((name) => name === code);
  if (known === undefined || error instanceof Known) return error;
  return new Known(known, (error as Error).message, { cause: error });
}
