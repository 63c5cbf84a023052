import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, readSync, rmSync, ftruncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { encodeInferRequest } from '#lib/engine-client/infer-messages';
import { loadProtocol } from '#lib/engine-client/protocol';
import { asIs } from '#lib/opaque-method';
import { model } from './repository';

const service = '/inference.GRPCInferenceService/';
/**
 * An outside client as Triton knows them: POSIX shared memory under a name that nobody guesses, registered with
 * the engine. Its first half takes the input of a call, its second half the output.
 */
export class SharedRegion {
  private readonly name = `roundhouse-${randomBytes(16).toString('hex')}`;
  private readonly file = join('/dev/shm', this.name);
  private readonly fd: number;

  private constructor(
    private readonly client: Client,
    private readonly bytes: number,
  ) {
    const { O_RDWR, O_CREAT, O_EXCL } = constants;
    this.fd = openSync(this.file, O_RDWR | O_CREAT | O_EXCL, 0o600);
    ftruncateSync(this.fd, 2 * bytes);
  }

  static async register(client: Client, bytes: number): Promise<SharedRegion> {
    const region = new SharedRegion(client, bytes);
    const { requestSerialize } = loadProtocol().inference['SystemSharedMemoryRegister']!;
    const { name } = region;
    const request = { name, key: `/${name}`, offset: 0, byte_size: 2 * bytes };
    await region.call('SystemSharedMemoryRegister', requestSerialize(request));
    return region;
  }

  async infer(payload: Buffer, answer: Buffer): Promise<void> {
    writeSync(this.fd, payload, 0, this.bytes, 0);
    const at = (offset: number) => ({ region: this.name, byteSize: this.bytes, offset });
    const input = {
      name: 'IN',
      datatype: 'UINT8',
      shape: [this.bytes],
      data: Buffer.alloc(0),
      region: at(0),
    };
    const outputs = [{ name: 'OUT', region: at(this.bytes) }];
    await this.call(
      'ModelInfer',
      encodeInferRequest({ model, version: '', id: '', tensors: [input], outputs }),
    );
    readSync(this.fd, answer, 0, this.bytes, this.bytes);
  }

  remove(): void {
    closeSync(this.fd);
    rmSync(this.file);
  }

  private call(method: string, message: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        service + method,
        asIs,
        asIs,
        message,
        new Metadata(),
        {},
        (error, answer) => (error === null ? resolve(answer!) : reject(error)),
      );
    });
  }
}

export function connectRaw(address: string): Client {
  return new Client(address, credentials.createInsecure());
}
