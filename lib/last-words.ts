import type { IncomingMessage, ServerResponse } from 'node:http';
import { RoundhouseError } from '#schemas/errors';
import { networkOf } from './access/network-of';
import { ownPlace } from './own-place';

/** Why a process ends, for whoever asked to be told. */
export interface Farewell {
  readonly exitCode: number;
  /** One line, as `/readyz` has its reasons: no stack, nothing of a round. */
  readonly words: string;
}

const mostListeners = 16;
/** Of one address, so that nobody keeps the others from hearing. */
const mostOfAddress = 4;
const mostLetters = 500;
/** Leaves room for the place behind it. */
const mostOfMessage = 320;
/** A line in between lets both sides see that the other one is there. */
const heartbeatMs = 15_000;

/** `act`, or a few words of ours where the error throws itself (one without a prototype): whoever ends must not fail at that. */
export function inWords(act: () => string): string {
  try {
    return act();
  } catch {
    return 'an error that has no words';
  }
}

/** To the last @, which a password may have, too. */
const withoutUsers = (line: string): string => line.replace(/\/\/[^\s/]*@/g, '//***@');

/**
 * Of what ended a process. An error of our own table says what is wrong; of any other one its first line alone tells nobody
 * much, so the place in our code stands behind it. Users and passwords in addresses are left out.
 */
export function wordsOf(error: unknown): string {
  return inWords(() => wordsAndPlace(error));
}

function wordsAndPlace(error: unknown): string {
  if (error instanceof RoundhouseError) return withoutUsers(`${error.code}: ${error.message}`);
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const line = withoutUsers(text.split('\n', 1)[0]!);
  const place = error instanceof Error ? ownPlace(error.stack ?? '') : null;
  return place === null ? line : `${line.slice(0, mostOfMessage)} (${place})`;
}

/**
 * Answers of `GET /last-words`: begun at once and ended with the process, so that nobody has to look in just the moment in
 * which it says why. One that ends without a word was killed, or crashed.
 */
export class LastWords {
  /** With the network that each is in. */
  private readonly listeners = new Map<ServerResponse, string>();
  private said: Farewell | null = null;

  listen(request: IncomingMessage, response: ServerResponse): void {
    const network = networkOf(request.socket.remoteAddress ?? '');
    if (!this.hasRoom(network)) {
      response.writeHead(503, { 'content-type': 'application/json' });
      return void response.end('{"error":"BUSY","message":"too many listen for the last words"}');
    }
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    if (request.method === 'HEAD' || this.said !== null) return this.tell(response);
    response.write('\n');
    const heartbeat = setInterval(() => response.writableEnded || response.write('\n'), heartbeatMs);
    heartbeat.unref();
    this.listeners.set(response, network);
    response.on('close', () => {
      clearInterval(heartbeat);
      this.listeners.delete(response);
    });
  }

  /** The first words count; what follows from them is no reason. */
  say({ exitCode, words }: Farewell): void {
    if (this.said !== null) return;
    this.said = { exitCode, words: words.split('\n', 1)[0]!.slice(0, mostLetters) };
    for (const response of this.listeners.keys()) this.tell(response);
    this.listeners.clear();
  }

  private hasRoom(network: string): boolean {
    const own = [...this.listeners.values()].filter((other) => other === network).length;
    return own < mostOfAddress && this.listeners.size < mostListeners;
  }

  private tell(response: ServerResponse): void {
    response.end(this.said === null ? undefined : JSON.stringify(this.said));
  }
}

/** Of this process. */
export const lastWords = new LastWords();
