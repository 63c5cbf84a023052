import { Client, credentials } from '@grpc/grpc-js';

/** The connection to the engine that is active; another engine has another address. */
export class EngineConnection {
  private address: string | null = null;
  private client: Client | null = null;

  constructor(
    private readonly current: () => string | null,
    private readonly maxMessageBytes: number,
  ) {}

  /** null while there is no engine. */
  get(): Client | null {
    const address = this.current();
    if (address === this.address) return this.client;
    this.close();
    this.address = address;
    if (address !== null) this.client = this.connect(address);
    return this.client;
  }

  private connect(address: string): Client {
    return new Client(address, credentials.createInsecure(), {
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 500,
      'grpc.max_send_message_length': this.maxMessageBytes,
      'grpc.max_receive_message_length': this.maxMessageBytes,
      'grpc-node.flow_control_window': 4 * 1024 * 1024,
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
      'grpc.enable_http_proxy': 0,
    });
  }

  close(): void {
    this.client?.close();
    this.client = null;
    this.address = null;
  }
}
