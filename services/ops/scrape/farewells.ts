import { Agent as HttpAgent, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { getFrom } from './get-from';
import type { Instance } from './instances';

/** How a process ended. */
export interface Farewell {
  /** Unix ms. */
  readonly at: number;
  /** Null: without a word. */
  readonly exitCode: number | null;
  readonly words: string;
}

const mostLetters = 4_000;
/** One that has no such path, or no room for another listener, is asked again so seldom. */
const againMs = 60_000;
/** One that lives sends a line every 15 s: else its machine is gone, or it stands still, and no end will be heard. */
const silentMs = 45_000;

function readFarewell(text: string): Farewell | null {
  try {
    const { exitCode, words } = JSON.parse(text) as Record<string, unknown>;
    if (typeof exitCode !== 'number' || typeof words !== 'string') return null;
    return { at: Date.now(), exitCode, words: words.slice(0, 500) };
  } catch {
    return null;
  }
}

/**
 * Listens for the last words of every process, over one connection each that is open as long as the process lives: a look
 * from time to time would miss them.
 */
export class Farewells {
  private readonly open = new Map<string, ClientRequest>();
  private readonly left = new WeakSet<ClientRequest>();
  private readonly notBefore = new Map<string, number>();
  private readonly last = new Map<string, Farewell>();
  private readonly agents = { http: new HttpAgent(), https: new HttpsAgent() };

  constructor(private readonly withinMs = silentMs) {}

  /** The last one of that name; null where there was none. */
  of({ name }: Instance): Farewell | null {
    return this.last.get(name) ?? null;
  }

  /** Of those that answer. Others that were listened to may still end. */
  listen(instances: readonly Instance[]): void {
    for (const instance of instances) {
      const { name } = instance;
      if (this.open.has(name) || Date.now() < (this.notBefore.get(name) ?? 0)) continue;
      this.open.set(name, this.ask(instance));
    }
  }

  /** Names that are no targets any more are forgotten. */
  keep(instances: readonly Instance[]): void {
    const names = new Set(instances.map(({ name }) => name));
    for (const [name, request] of this.open) if (!names.has(name)) this.leave(request);
    for (const map of [this.notBefore, this.last])
      for (const name of map.keys()) if (!names.has(name)) map.delete(name);
  }

  /** What ends then says nothing of the process. */
  private leave(request: ClientRequest): void {
    this.left.add(request);
    request.destroy();
  }

  private ask(instance: Instance): ClientRequest {
    const { name } = instance;
    const request = getFrom(instance, '/last-words', this.agents, (response) => {
      if (response.statusCode !== 200) this.notBefore.set(name, Date.now() + againMs);
      else this.hear(name, request, response);
      response.resume();
    });
    request.setTimeout(this.withinMs, () => this.leave(request));
    request.on('error', () => undefined);
    request.on('close', () => this.open.get(name) === request && this.open.delete(name));
    return request;
  }

  private hear(name: string, request: ClientRequest, response: IncomingMessage): void {
    // It lives: a connection that broke before was no end.
    if (this.last.get(name)?.exitCode === null) this.last.delete(name);
    let text = '';
    response.on('data', (bytes: Buffer) => {
      text = (text + bytes.toString()).trimStart();
      if (text.length <= mostLetters) return;
      text = '';
      request.destroy();
    });
    response.on('error', () => undefined);
    response.on('close', () => {
      if (this.left.has(request)) return;
      this.last.set(name, readFarewell(text) ?? { at: Date.now(), exitCode: null, words: '' });
    });
  }

  close(): void {
    const requests = [...this.open.values()];
    this.open.clear();
    for (const request of requests) this.leave(request);
    this.agents.http.destroy();
    this.agents.https.destroy();
  }
}
