import { errorCodes, RoundhouseError, type ErrorCode, type Fault } from '#schemas/errors';
import { shownText } from '#schemas/shown-text';

interface ErrorBody {
  readonly error?: string;
  readonly message?: string;
  readonly faults?: readonly Fault[];
}

/** The typed error of a reply; one that is not ours (a proxy's) is known by its status alone. */
function errorOf(status: number, text: string): RoundhouseError {
  let body: ErrorBody = {};
  try {
    body = JSON.parse(text) as ErrorBody;
  } catch {
    // Not our reply; the status decides.
  }
  if (body.error !== undefined && Object.hasOwn(errorCodes, body.error)) {
    return new RoundhouseError(body.error as ErrorCode, body.message ?? '', body.faults ?? []);
  }
  const code: ErrorCode =
    status === 404 ? 'NOT_FOUND' : status >= 500 ? 'DEPENDENCY_ABSENT' : 'PAYLOAD_INVALID';
  return new RoundhouseError(code, `status ${status}: ${shownText(text, 200)}`);
}

export interface HttpReply {
  readonly status: number;
  readonly text: string;
  header(name: string): string | null;
}

/** One request. Rejects with the RoundhouseError of the reply, or DEPENDENCY_ABSENT without one. */
export async function httpCall(
  url: URL,
  init: { readonly method: 'GET' | 'POST'; readonly headers: Record<string, string>; readonly body?: string },
  timeoutMs: number,
): Promise<HttpReply> {
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    text = await response.text();
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = cause instanceof Error ? `${message}: ${cause.message}` : message;
    throw new RoundhouseError('DEPENDENCY_ABSENT', `${url.origin}: ${reason}`, [], { cause: error });
  }
  if (!response.ok) throw errorOf(response.status, text);
  return { status: response.status, text, header: (name) => response.headers.get(name) };
}
