/** The functions of build/native/ucx.node, one to one. Internal: use UcxHost. */
import { addonLoader } from '../load-addon';
import { UcxError } from './ucx-error';

/** An opaque, type-tagged value; a wrong one is refused with WRONG_HANDLE. */
export type HostHandle = { readonly hostHandle: unique symbol };

export interface NativeHostSettings {
  /** Path or name of libucp. */
  readonly library: string;
  /** As UCX_TLS and UCX_NET_DEVICES have them; empty: what the environment says. */
  readonly transports: string;
  readonly devices: string;
  /** A numeric address; port 0: any. */
  readonly listen?: { readonly host: string; readonly port: number };
  /** Data up to this size come with their event. */
  readonly inlineBytes: number;
  /** Data above this size travel by rendezvous. */
  readonly eagerBytes: number;
  /** How long the progress thread waits awake after the last thing that happened. */
  readonly mostSpinUs: number;
}

export interface NativeHostFacts {
  /** Of UCX, "1.22.0". */
  readonly version: string;
  /** "tcp/eth0" */
  readonly transports: readonly string[];
  /** 0: it doesn't listen. */
  readonly port: number;
  readonly mostHeaderBytes: number;
}

export const eventKinds = { request: 1, message: 2, sent: 3, received: 4, closed: 5 } as const;

/**
 * An event: the kind, an id, and by kind
 * request: the peer's address;
 * message: the connection, the header, the bytes of its data, whether they wait for `receive` or `drop`, else the data
 *   themselves (undefined for none);
 * sent, received: why it failed, empty where it didn't;
 * closed: why the connection ended.
 */
export type EventRow = readonly unknown[];

export interface UcxBindings {
  abiVersion(): number;
  /** `onEvents` says that there are events to take; called in the event loop. */
  openHost(settings: NativeHostSettings, onEvents: () => void): HostHandle;
  facts(handle: HostHandle): NativeHostFacts;
  /** The id of the connection, of which `closed` may come at any time. */
  connect(handle: HostHandle, host: string, port: number): number;
  accept(handle: HostHandle, request: number): number;
  refuse(handle: HostHandle, request: number): void;
  /** Messages of the connection have to begin with it from now on. 16 bytes. */
  setKey(handle: HostHandle, connection: number, key: Uint8Array): void;
  /** The header is copied; the parts are read until `sent` with the id that this returns. */
  send(handle: HostHandle, connection: number, header: Uint8Array, parts: readonly Uint8Array[]): number;
  /** As many bytes as the message has; written until `received` with the message's id. */
  receive(handle: HostHandle, message: number, into: Uint8Array): void;
  drop(handle: HostHandle, message: number): void;
  closeConnection(handle: HostHandle, connection: number): void;
  /** Whether it keeps the process alive; at first it doesn't. */
  holdProcess(handle: HostHandle, hold: boolean): void;
  takeEvents(handle: HostHandle): EventRow[];
  closeHost(handle: HostHandle): void;
}

export const loadBindings = addonLoader<UcxBindings>('ucx', {
  abiVersion: 1,
  fault: (message, cause) => new UcxError('LOAD_FAILED', message, { cause }),
});
