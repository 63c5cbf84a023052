import { eventKinds, loadBindings, type EventRow, type HostHandle, type NativeHostFacts } from './bindings';
import { asUcxError, UcxError } from './ucx-error';

export const keyBytes = 16;

export interface UcxHostOptions {
  readonly library: string;
  readonly transports: string;
  readonly devices: string;
  readonly listen?: { readonly host: string; readonly port: number };
  readonly inlineBytes?: number;
  readonly eagerBytes?: number;
  readonly mostSpinUs?: number;
  /** A peer wants to connect from there. undefined: it is refused; else what its connection is to call. */
  readonly onRequest?: (address: string) => ConnectionListener | undefined;
}

export interface UcxMessage {
  readonly header: Buffer;
  readonly bytes: number;
  /** `into` has as many bytes as the message. Rejects with UcxError when the connection ends before. Once, or `drop`. */
  receive(into: Uint8Array): Promise<void>;
  drop(): void;
}

export interface ConnectionListener {
  onOpen?(connection: UcxConnection): void;
  onMessage(message: UcxMessage): void;
  /** Once; not after `close`. */
  onClosed(reason: string): void;
}

interface Pending {
  /** What UCX reads or writes: kept from the collector. */
  readonly memory: unknown;
  resolve(): void;
  reject(error: Error): void;
}

const defaults = { inlineBytes: 16_384, eagerBytes: 32_768, mostSpinUs: 50 };

/** One end of a connection. */
export class UcxConnection {
  constructor(
    private readonly host: UcxHost,
    readonly id: number,
  ) {}

  /** Of both ends: each message's header begins with it, and the addon ends a connection where one doesn't. */
  setKey(key: Uint8Array): void {
    this.host.setKey(this.id, key);
  }
  /** The parts must stay as they are until it resolves; rejects with UcxError. */
  send(header: Uint8Array, parts: readonly Uint8Array[] = []): Promise<void> {
    return this.host.send(this.id, header, parts);
  }
  close(): void {
    this.host.closeConnection(this.id);
  }
}

/** UCX in this process: connections to peers and from them, with a thread of their own. */
export class UcxHost implements Disposable {
  private readonly bindings = loadBindings();
  private readonly handle: HostHandle;
  readonly facts: NativeHostFacts;
  private readonly listeners = new Map<number, ConnectionListener>();
  private readonly sends = new Map<number, Pending>();
  private readonly receives = new Map<number, Pending>();
  private holders = 0;
  private closed = false;

  /** Throws UcxError: LOAD_FAILED, SETTINGS_INVALID, UNAVAILABLE, ADDRESS_IN_USE. */
  constructor(private readonly options: UcxHostOptions) {
    const { library, transports, devices, listen } = options;
    const { inlineBytes, eagerBytes, mostSpinUs } = { ...defaults, ...options };
    const sizes = { inlineBytes, eagerBytes, mostSpinUs };
    const settings = { library, transports, devices, ...sizes, ...(listen === undefined ? {} : { listen }) };
    try {
      this.handle = this.bindings.openHost(settings, () => this.onEvents());
      this.facts = this.bindings.facts(this.handle);
    } catch (error) {
      throw asUcxError(error);
    }
  }

  /** `host` is a numeric address. What is sent before the connection stands, waits for it. */
  connect(host: string, port: number, listener: ConnectionListener): UcxConnection {
    const id = this.guarded(() => this.bindings.connect(this.handle, host, port));
    this.listeners.set(id, listener);
    return new UcxConnection(this, id);
  }

  setKey(connection: number, key: Uint8Array): void {
    this.guarded(() => this.bindings.setKey(this.handle, connection, key));
  }

  send(connection: number, header: Uint8Array, parts: readonly Uint8Array[]): Promise<void> {
    return new Promise((resolve, reject) => {
      if (!this.listeners.has(connection)) throw ended('it has ended before');
      const id = this.guarded(() => this.bindings.send(this.handle, connection, header, parts));
      this.sends.set(id, { memory: parts, resolve, reject });
    });
  }

  /** Somebody waits for what comes from here: the process has to live. */
  hold(): void {
    this.holders += 1;
    if (this.holders === 1 && !this.closed) this.bindings.holdProcess(this.handle, true);
  }
  letGo(): void {
    this.holders -= 1;
    if (this.holders === 0 && !this.closed) this.bindings.holdProcess(this.handle, false);
  }

  closeConnection(connection: number): void {
    if (!this.listeners.delete(connection) || this.closed) return;
    this.bindings.closeConnection(this.handle, connection);
  }

  /** Ends all connections without a word to their listeners; waits for the thread. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.bindings.closeHost(this.handle);
    this.listeners.clear();
    for (const { reject } of [...this.sends.values(), ...this.receives.values()])
      reject(ended('UCX was closed'));
    this.sends.clear();
    this.receives.clear();
  }
  [Symbol.dispose](): void {
    this.close();
  }

  private guarded<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      throw asUcxError(error);
    }
  }

  private onEvents(): void {
    if (this.closed) return;
    for (const row of this.bindings.takeEvents(this.handle)) {
      if (this.closed) return;
      this.onEvent(row);
    }
  }

  private onEvent(row: EventRow): void {
    const [kind, id] = row as [number, number];
    if (kind === eventKinds.message) return this.onMessage(id, row);
    const text = row[2] as string;
    if (kind === eventKinds.sent) return settle(this.sends, id, text);
    if (kind === eventKinds.received) return settle(this.receives, id, text);
    if (kind === eventKinds.request) return this.onRequest(id, text);
    const listener = this.listeners.get(id);
    this.listeners.delete(id);
    listener?.onClosed(text);
  }

  private onRequest(request: number, address: string): void {
    const listener = this.options.onRequest?.(address);
    if (listener === undefined) return this.bindings.refuse(this.handle, request);
    const id = this.bindings.accept(this.handle, request);
    this.listeners.set(id, listener);
    listener.onOpen?.(new UcxConnection(this, id));
  }

  private onMessage(id: number, row: EventRow): void {
    const [connection, header, bytes, waits, data] = row.slice(2) as [
      number,
      Buffer,
      number,
      boolean,
      Buffer?,
    ];
    const drop = (): void => {
      if (waits && !this.closed) this.bindings.drop(this.handle, id);
    };
    const listener = this.listeners.get(connection);
    if (listener === undefined) return drop();
    const receive = waits
      ? (into: Uint8Array) => this.receive(id, into)
      : (into: Uint8Array) => copied(data, into);
    listener.onMessage({ header, bytes, receive, drop });
  }

  private receive(message: number, into: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.guarded(() => this.bindings.receive(this.handle, message, into));
      this.receives.set(message, { memory: into, resolve, reject });
    });
  }
}

function ended(reason: string): UcxError {
  return new UcxError('CONNECTION_ENDED', reason);
}

function settle(pendings: Map<number, Pending>, id: number, failure: string): void {
  const pending = pendings.get(id);
  pendings.delete(id);
  if (failure === '') pending?.resolve();
  else pending?.reject(ended(failure));
}

/** Small data are here already. */
function copied(data: Buffer | undefined, into: Uint8Array): Promise<void> {
  if (data !== undefined) into.set(data);
  return Promise.resolve();
}
