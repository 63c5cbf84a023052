import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { getFrom } from './get-from';
import type { Instance } from './instances';

export interface Answer {
  readonly status: number;
  readonly text: string;
}

const timeoutMs = 2_500;
const mostBytes = 8 * 1024 * 1024;

class StaleConnection extends Error {}

/** GET over connections that stay open. */
export class TextFetcher {
  private readonly agents = {
    http: new HttpAgent({ keepAlive: true, maxSockets: 4 }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: 4 }),
  };

  /** Rejects when there is no whole answer in time, or too large a one; the words are for an operator. */
  async get(instance: Instance, path: string): Promise<Answer> {
    try {
      return await this.once(instance, path);
    } catch (error) {
      // The other side closed a connection just when it was used again: it may well be there.
      if (error instanceof StaleConnection) return this.once(instance, path);
      throw error;
    }
  }

  private once(instance: Instance, path: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = getFrom(instance, path, this.agents, (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > mostBytes) request.destroy(new Error(`more than ${mostBytes} bytes`));
          else chunks.push(chunk);
        });
        response.on('error', (error) => reject(inWords(error)));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      });
      const late = setTimeout(() => {
        reject(new Error(`no answer in ${timeoutMs} ms`));
        request.destroy();
      }, timeoutMs);
      request.on('close', () => clearTimeout(late));
      request.on('error', (error: NodeJS.ErrnoException) => {
        const isStale = request.reusedSocket && error.code === 'ECONNRESET';
        reject(isStale ? new StaleConnection(error.message) : inWords(error));
      });
    });
  }

  close(): void {
    this.agents.http.destroy();
    this.agents.https.destroy();
  }
}

function inWords(error: NodeJS.ErrnoException): Error {
  return error.code === 'ECONNREFUSED' ? new Error('nobody listens there') : error;
}
