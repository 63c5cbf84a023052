import {
  Client,
  type CallOptions,
  type ClientReadableStream,
  type ClientUnaryCall,
  type Metadata,
  type requestCallback,
  type StatusObject,
  status,
} from '@grpc/grpc-js';
import { grpcChannel, type PeerTls } from '../peer-tls';

/**
 * Node's HTTP/2 servers end a connection on which a peer resets 1,000 streams in a burst (nghttp2's defence
 * against rapid resets, not adjustable in Node 20), and a cancelled or late call is a reset.
 */
const mostResets = 900;

interface Lane {
  readonly client: Client;
  /** Calls that may still begin; one that ends well gives its place back. */
  left: number;
  open: number;
}

function channelOptions(maxMessageBytes: number) {
  return {
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 500,
    'grpc.max_send_message_length': maxMessageBytes,
    'grpc.max_receive_message_length': maxMessageBytes,
    'grpc-node.flow_control_window': 4 * 1024 * 1024,
    'grpc.use_local_subchannel_pool': 1,
    'grpc.service_config_disable_resolution': 1,
    'grpc.enable_retries': 0,
    'grpc.enable_http_proxy': 0,
  };
}

/**
 * Calls of one server over as many connections as keep each below the resets that the server bears, whatever
 * the callers cancel: on no connection can more than `mostResets` calls end other than well.
 */
export class Lanes {
  private readonly lanes = new Set<Lane>();
  /** Of those, the ones on which a call may begin. */
  private readonly free = new Set<Lane>();
  private isClosed = false;

  constructor(
    private readonly address: string,
    private readonly maxMessageBytes: number,
    private readonly tls: PeerTls | null = null,
  ) {}

  makeUnaryRequest<Request, Answer>(
    path: string,
    serialize: (request: Request) => Buffer,
    deserialize: (bytes: Buffer) => Answer,
    request: Request,
    metadata: Metadata,
    options: CallOptions,
    callback: requestCallback<Answer>,
  ): ClientUnaryCall {
    const lane = this.enter();
    const onEnd: requestCallback<Answer> = (error, answer) => {
      this.leave(lane, error === null);
      callback(error, answer);
    };
    return lane.client.makeUnaryRequest(path, serialize, deserialize, request, metadata, options, onEnd);
  }

  makeServerStreamRequest<Request, Answer>(
    path: string,
    serialize: (request: Request) => Buffer,
    deserialize: (bytes: Buffer) => Answer,
    request: Request,
    metadata: Metadata,
    options: CallOptions,
  ): ClientReadableStream<Answer> {
    const lane = this.enter();
    const { client } = lane;
    const call = client.makeServerStreamRequest(path, serialize, deserialize, request, metadata, options);
    call.once('status', ({ code }: StatusObject) => this.leave(lane, code === status.OK));
    return call;
  }

  /** Connections that are open, or would be. */
  get size(): number {
    return this.lanes.size;
  }

  close(): void {
    this.isClosed = true;
    for (const { client } of this.lanes) client.close();
    this.lanes.clear();
    this.free.clear();
  }

  private enter(): Lane {
    if (this.isClosed) throw new Error('the connection has been closed');
    const [lane = this.newLane()] = this.free;
    lane.left -= 1;
    lane.open += 1;
    if (lane.left === 0) this.free.delete(lane);
    return lane;
  }

  private newLane(): Lane {
    const { credentials, options } = grpcChannel(this.tls);
    const client = new Client(this.address, credentials, {
      ...channelOptions(this.maxMessageBytes),
      ...options,
    });
    const lane = { client, left: mostResets, open: 0 };
    this.lanes.add(lane);
    this.free.add(lane);
    return lane;
  }

  private leave(lane: Lane, isWell: boolean): void {
    lane.open -= 1;
    if (isWell) lane.left += 1;
    if (lane.left > 0 && !this.isClosed) this.free.add(lane);
    if (lane.left > 0 || lane.open > 0 || !this.lanes.delete(lane)) return;
    lane.client.close();
  }
}
