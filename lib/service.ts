import { RoundhouseError, type ErrorCode } from '#schemas/errors';
import { codeVersion } from './code-version';
import type { Env } from './config';
import { inWords, lastWords, wordsOf } from './last-words';
import { createTelemetry, type LogLevel, type Logger, type Telemetry } from './telemetry';
import { openTracer } from './tracing/open-tracer';
import type { TracingConfig } from './tracing/settings';
import { watchFiles } from './watch-files';

/** Ports on which a service listens; sent in its ready message. */
export interface ServicePorts {
  readonly http?: number;
  readonly grpc?: number;
  /** Of a worker: the inference protocol over HTTP, and Prometheus' metrics. */
  readonly kserveHttp?: number;
  readonly metrics?: number;
}

export interface ServiceContext<C> {
  readonly config: C;
  readonly telemetry: Telemetry;
  readonly logger: Logger;
  /** Fires when the process was asked to stop, also during the start. */
  readonly signal: AbortSignal;
  /** Closers run in reverse order at the stop, and when the start fails half-way. */
  onStop(name: string, close: () => unknown): void;
  /** A message of its own kind to whoever started this process with a channel; elsewhere nothing. */
  send(message: { readonly type: string; readonly [field: string]: unknown }): void;
  /** Words for the user of whoever started this process with a channel; elsewhere nothing. */
  tell(words: string): void;
  /** For faults after the start: logs, stops in order and exits with 1. */
  fail(error: Error): void;
}

export interface ServiceDefinition<C> {
  readonly name: string;
  loadConfig(env: Env): C;
  start(context: ServiceContext<C>): Promise<ServicePorts>;
  /** All closers together get this long, then the process exits with 1. */
  readonly stopTimeoutMs?: number;
  /** How often the event loop's lag is measured: 10 ms, which takes 0.4% of a processor, where absent. */
  readonly eventLoopPrecisionMs?: number;
}

/** The last lines of the log get so long at an exit. */
const lastLinesMs = 1_000;
const lastSpansMs = 1_500;

const exitCodes = { ok: 0, fault: 1, config: 2, dependency: 3 } as const;

function exitCodeOf(error: unknown): number {
  const code: ErrorCode | null = error instanceof RoundhouseError ? error.code : null;
  if (code === 'CONFIG_INVALID') return exitCodes.config;
  if (code === 'DEPENDENCY_ABSENT') return exitCodes.dependency;
  return code === 'SHUTTING_DOWN' ? exitCodes.ok : exitCodes.fault;
}

function describe(error: unknown): string {
  if (error instanceof RoundhouseError) return `${error.code}: ${error.message}`;
  return inWords(() => (error instanceof Error ? (error.stack ?? error.message) : String(error)));
}

interface Closer {
  readonly name: string;
  readonly close: () => unknown;
}

async function closeInReverse(closers: Closer[], logger: Logger): Promise<void> {
  for (let closer = closers.pop(); closer; closer = closers.pop()) {
    try {
      await closer.close();
    } catch (error) {
      logger.error({ event: 'CloseFailed', closer: closer.name, error });
    }
  }
}

class RunningService<C> {
  private readonly closers: Closer[] = [];
  private readonly stopping = new AbortController();
  private readonly telemetry: Telemetry;
  private exiting = false;

  constructor(
    private readonly definition: ServiceDefinition<C>,
    private readonly config: C & { readonly logLevel: LogLevel | 'silent' } & Partial<TracingConfig>,
  ) {
    const { name: service, eventLoopPrecisionMs } = definition;
    this.telemetry = createTelemetry({ service, logLevel: config.logLevel, eventLoopPrecisionMs });
  }

  async run(): Promise<void> {
    this.listenForTheEnd();
    watchFiles(this.telemetry);
    try {
      await this.openTracer();
      const ports = await this.definition.start(this.context());
      this.announce(ports);
    } catch (error) {
      await this.exit(this.stopping.signal.aborted ? exitCodes.ok : exitCodeOf(error), error);
    }
  }

  private async openTracer(): Promise<void> {
    const { telemetry } = this;
    const service = this.definition.name;
    const { version } = codeVersion();
    telemetry.tracer = await openTracer(this.config, { service, version, ...telemetry });
  }

  private context(): ServiceContext<C> {
    const { config, telemetry } = this;
    return {
      config,
      telemetry,
      logger: telemetry.logger,
      signal: this.stopping.signal,
      onStop: (name, close) => this.closers.push({ name, close }),
      send: (message) => this.send(message),
      tell: (words) => this.send({ type: 'told', words }),
      fail: (error) => void this.exit(exitCodeOf(error) || exitCodes.fault, error),
    };
  }

  /** A signal, or the loss of the parent that spawned us with a channel: nothing of ours stays behind. */
  private listenForTheEnd(): void {
    process.on('SIGTERM', () => void this.requestStop('SIGTERM'));
    process.on('SIGINT', () => void this.requestStop('SIGINT'));
    process.on('disconnect', () => void this.requestStop('parent gone'));
    // A reader of our words that is gone is no fault of the service.
    for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
    process.on('uncaughtException', (error) => void this.exit(exitCodes.fault, error));
    process.on('unhandledRejection', (error) => void this.exit(exitCodes.fault, error));
  }

  private announce(ports: ServicePorts): void {
    if (this.stopping.signal.aborted) return void this.exit(exitCodes.ok);
    this.started = true;
    this.telemetry.logger.info({ event: 'ServiceReady', ports });
    this.send({ type: 'ready', ports });
  }

  /** To a parent that dies meanwhile it is no fault: its `disconnect` follows. */
  private send(message: object): void {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
  }

  private started = false;
  private whyStopped = '';

  /** During the start the signal makes the start fail soon; after it the closers run. */
  private requestStop(reason: string): void {
    if (this.stopping.signal.aborted) return;
    this.whyStopped = `asked to stop: ${reason}`;
    this.telemetry.logger.info({ event: 'StopRequested', reason });
    this.stopping.abort();
    this.forceExitLater(exitCodes.fault);
    if (this.started) void this.exit(exitCodes.ok);
  }

  private forceExitLater(code: number): void {
    setTimeout(() => process.exit(code), this.definition.stopTimeoutMs ?? 15_000).unref();
  }

  private async exit(code: number, error?: unknown): Promise<void> {
    if (this.exiting) return;
    this.exiting = true;
    this.stopping.abort();
    // Before anything that may throw: a signal ends nothing from here on.
    if (code !== exitCodes.ok) this.forceExitLater(code);
    const { logger } = this.telemetry;
    lastWords.say({ exitCode: code, words: error === undefined ? this.whyStopped : wordsOf(error) });
    if (code !== exitCodes.ok) {
      logger.fatal({ event: 'ServiceFailed', exitCode: code, error }, describe(error));
      process.stderr.write(`${this.definition.name}: ${describe(error)}\n`);
    }
    await closeInReverse(this.closers, logger);
    await this.telemetry.tracer.close(lastSpansMs);
    logger.info({ event: 'ServiceStopped', exitCode: code });
    await this.telemetry.flushed(lastLinesMs);
    process.exit(code);
  }
}

/**
 * Runs a service as this process: config faults are all printed and exit with 2, an absent dependency
 * exits with 3, any other fault with 1, SIGTERM, SIGINT and the loss of the parent stop it in order and
 * exit with 0. When ready it logs `ServiceReady` and, spawned with an IPC channel, sends
 * `{ type: 'ready', ports }`. The only reader of `process.env` besides main.ts.
 */
export async function runService<C extends { readonly logLevel: LogLevel | 'silent' }>(
  definition: ServiceDefinition<C>,
  env: Env = process.env,
): Promise<void> {
  let config: C;
  try {
    config = definition.loadConfig(env);
  } catch (error) {
    process.stderr.write(`${definition.name}: ${describe(error)}\n`);
    process.exit(exitCodeOf(error));
  }
  await new RunningService(definition, config).run();
}
