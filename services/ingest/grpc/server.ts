import { Server, status, type sendUnaryData, type ServerUnaryCall } from '@grpc/grpc-js';
import { bindServer } from '#lib/grpc-bind';
import { addressOf } from '#lib/listen-fault';
import { readinessReasons, type ReadinessChecks } from '#lib/health';
import { grpcServerCredentials } from '#lib/grpc-server-credentials';
import type { ServerTls } from '#lib/server-tls';
import { errorCodes, RoundhouseError } from '#schemas/errors';
import type { DecisionCache } from '../consume/decision-cache';
import type { IngestEvents } from '../events';
import type { Acceptance, RoundIntake } from '../round-intake';
import type { AccessGate } from '#lib/access/gate';
import { admittedCall } from '#lib/access/grpc-admission';
import type { ReaderPlaces } from '../access/reader-places';
import { admission } from './admission';
import { roundBody } from '../cut/round-body';
import type { BodyBudget } from '../read/body-budget';
import { elementsOf } from '../read/json-shape';
import { dispatchService, healthService } from './contract';
import { toServiceError } from './errors';
import { requestTime } from './request-time';
import { watchDecisions } from './watch-decisions';

export interface GrpcApiOptions {
  readonly host: string;
  readonly port: number;
  /** The variable that names it. */
  readonly portKey?: string;
  readonly maxBodyBytes: number;
  /** Of both edges. */
  readonly bodies: BodyBudget;
  readonly maxCouriers: number;
  readonly maxOrders: number;
  readonly bodyTimeoutMs: number;
  readonly checks: ReadinessChecks;
  readonly intake: RoundIntake;
  readonly cache: DecisionCache;
  readonly events: IngestEvents;
  readonly tls: ServerTls | null;
  readonly gate: AccessGate;
  readonly streams: ReaderPlaces;
  /** Rejects where the tenant has no more of its quota. */
  takeQuota(tenant: string | undefined, rounds: number, bytes: number): Promise<void>;
}

const STOP_GRACE_MS = 2_000;

/** The producer API on gRPC, with grpc.health.v1. */
export class GrpcApi {
  private readonly server: Server;
  private readonly stopping = new AbortController();

  constructor(private readonly options: GrpcApiOptions) {
    this.server = new Server({
      'grpc.max_receive_message_length': options.maxBodyBytes,
      'grpc.keepalive_time_ms': 30_000,
      'grpc.keepalive_permit_without_calls': 1,
      // The last one is told last: time runs from the admission.
      interceptors: [admission(options.gate), requestTime(options.bodyTimeoutMs)],
    });
    this.server.addService(dispatchService, {
      SubmitRound: (call: ServerUnaryCall<Buffer, object>, done: sendUnaryData<object>) =>
        this.submit(call, done).catch((error: unknown) => this.report(error)),
      WatchDecisions: (call: Parameters<typeof watchDecisions>[0]) =>
        void watchDecisions(call, { ...options, stopping: this.stopping.signal }).catch((error: unknown) => {
          this.reportFault(error);
          call.emit('error', toServiceError(error));
        }),
    });
    this.server.addService(healthService, {
      Check: (_: unknown, done: sendUnaryData<object>) =>
        this.check(done).catch((error: unknown) => this.report(error)),
      Watch: (call: { emit(event: 'error', error: object): void }) =>
        call.emit('error', { code: status.UNIMPLEMENTED, details: 'use Check' }),
    });
  }

  listen(): Promise<number> {
    const { host, port, portKey, tls } = this.options;
    return bindServer(this.server, addressOf(host, port), grpcServerCredentials(tls), portKey);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    const cut = setTimeout(() => this.server.forceShutdown(), STOP_GRACE_MS);
    await new Promise<void>((resolve) => this.server.tryShutdown(() => resolve()));
    clearTimeout(cut);
  }

  private async submit(call: ServerUnaryCall<Buffer, object>, done: sendUnaryData<object>): Promise<void> {
    try {
      const acceptance = await this.options.bodies.within((share) => {
        if (!share.take(call.request.length)) throw share.refusal();
        return this.acceptanceOf(call);
      });
      done(null, acceptance);
    } catch (error) {
      this.options.intake.refused('grpc', error);
      done(toServiceError(error));
      this.reportFault(error);
    }
  }

  private async acceptanceOf({
    request: bytes,
    metadata,
  }: ServerUnaryCall<Buffer, object>): Promise<Acceptance> {
    const { tenant } = admittedCall(metadata);
    await this.options.takeQuota(tenant, 1, bytes.length);
    return this.options.intake.submit({
      edge: 'grpc',
      ...roundBody({ bytes, format: 'proto', maxElements: elementsOf(this.options) }),
      tenant,
      traceparent: metadata.get('traceparent')[0]?.toString(),
      tracestate: metadata.get('tracestate')[0]?.toString(),
    });
  }

  private reportFault(error: unknown): void {
    if (error instanceof RoundhouseError && errorCodes[error.code].grpc !== 'INTERNAL') return;
    this.report(error);
  }

  private report(error: unknown): void {
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.options.events.RequestFailed({ edge: 'grpc', code: 'INTERNAL', reason });
  }

  private async check(done: sendUnaryData<object>): Promise<void> {
    const reasons = await readinessReasons(this.options.checks);
    done(null, { status: Object.keys(reasons).length === 0 ? 'SERVING' : 'NOT_SERVING' });
  }
}
