import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, Metadata, type MethodDefinition } from '@grpc/grpc-js';
import type { EngineClient } from '#lib/engine-client/port';
import { loadProtocol } from '#lib/engine-client/protocol';
import type { UnixMs } from '#schemas/brands';
import type { NamedTensor } from '#schemas/domain';
import { echoInputs, operations } from './engine-repository';

export interface Admission {
  readonly queued: number;
  readonly queued_bytes: number;
  readonly in_core: number;
  readonly priorities: readonly (Readonly<Record<string, number>> & { readonly priority: string })[];
}

/** Asks an engine for its queue. */
export class AdmissionView {
  private readonly client: Client;
  private readonly method = loadProtocol().engine['Admission'] as MethodDefinition<object, Admission>;

  constructor(address: string) {
    this.client = new Client(address, credentials.createInsecure());
  }

  now(): Promise<Admission> {
    const { path, requestSerialize, responseDeserialize } = this.method;
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        {},
        new Metadata(),
        {},
        (error, answer) => (error === null ? resolve(answer!) : reject(error)),
      );
    });
  }

  async counts(priority = 'default'): Promise<Readonly<Record<string, number>>> {
    return (await this.now()).priorities.find((counts) => counts.priority === priority)!;
  }

  /** Until the core has so many requests, and so many wait. */
  async until(inCore: number, queued: number): Promise<void> {
    for (;;) {
      const { in_core, queued: waiting } = await this.now();
      if (in_core === inCore && waiting === queued) return;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  close(): void {
    this.client.close();
  }
}

/** An engine that takes four requests and lets none wait: the fifth is refused, by either way in. */
export async function refusesTheFifth(client: EngineClient, address: string): Promise<void> {
  const admission = new AdmissionView(address);
  const abort = new AbortController();
  const deadline = (Date.now() + 60_000) as UnixMs;
  const request = (inputs: NamedTensor[]) => ({ model: 'echo', version: '', requestId: 'r', inputs });
  const slow = request(echoInputs([1], operations.sleep, 600_000));
  await admission.until(0, 0);
  const all = Array.from({ length: 4 }, () => client.infer(slow, deadline, abort.signal));
  const settled = Promise.allSettled(all);
  await admission.until(4, 0);
  await expect(client.infer(request(echoInputs([1])), deadline)).rejects.toMatchObject({
    code: 'ENGINE_BUSY',
    message: expect.stringMatching(/^the queue is full with 0 requests/),
  });
  abort.abort();
  await settled;
  await admission.until(0, 0);
  admission.close();
}

/** Lets requests of the test backend's operation `hold` end. */
export class Releases {
  readonly folder = mkdtempSync(join(tmpdir(), 'roundhouse-releases-'));
  private last = 0;

  /** The argument of a request that holds. */
  next(): number {
    return ++this.last;
  }
  release(name: number): void {
    writeFileSync(join(this.folder, String(name)), '');
  }
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
