import { Metadata, type handleUnaryCall, type ServerUnaryCall } from '@grpc/grpc-js';
import { decodeInferRequest, encodeInferResponse } from '#lib/engine-client/infer-messages';
import { peerSizeOf, setNotes } from '#lib/engine-client/peer-notes';
import type { AnswerNotes, InferRequest } from '#lib/engine-client/port';
import { rowOfParameters } from '#lib/engine-client/request-parameters';
import { LONGEST_TIMER_MS } from '#lib/longest-timer';
import type { NamedTensor } from '#schemas/domain';
import type { UnixMs } from '#schemas/brands';
import { RoundhouseError } from '#schemas/errors';
import { statusForPeer } from '../remote/refused-there';
import type { PeerService } from '../remote/ucx/peer-service';
import type { CallsUnderWay } from './calls-under-way';

type Call = ServerUnaryCall<Buffer, Buffer>;

function invalid(message: string): RoundhouseError {
  return new RoundhouseError('PAYLOAD_INVALID', message);
}

/** Tensors with raw contents, as our workers send them. Throws PAYLOAD_INVALID. */
function requestOf(bytes: Buffer, size: number): InferRequest {
  const { model, version, id: requestId, tensors, parameters, raw, outputRegions } = decoded(bytes);
  if (raw.length !== tensors.length) throw invalid(`${raw.length} contents for ${tensors.length} inputs`);
  const inputs = tensors.map(({ name, datatype, shape, region }, at) => {
    if (region !== undefined) throw invalid(`inputs[${at}]: no shared memory between workers`);
    return { name, datatype: datatype as NamedTensor['datatype'], shape, data: raw[at]! };
  });
  if (outputRegions.size > 0) throw invalid('outputs: no shared memory between workers');
  const row = rowOfParameters(parameters);
  const entries = Array.from({ length: row.length / 2 }, (_, at) => [
    row[2 * at] as string,
    row[2 * at + 1]!,
  ]);
  return { model, version, requestId, inputs, size, parameters: Object.fromEntries(entries) };
}

function decoded(bytes: Buffer): ReturnType<typeof decodeInferRequest> {
  try {
    return decodeInferRequest(bytes);
  } catch (error) {
    throw invalid(`no ModelInferRequest: ${(error as Error).message}`);
  }
}

function signalOf(call: Call): AbortSignal {
  const abort = new AbortController();
  call.on('cancelled', () => abort.abort(new RoundhouseError('DEADLINE_EXCEEDED', 'the caller gave it up')));
  return abort.signal;
}

function asFault(error: unknown): RoundhouseError {
  if (error instanceof RoundhouseError) return error;
  return new RoundhouseError('INTERNAL', String(error), [], { cause: error });
}

/**
 * Requests of other workers: they go through this one's scheduler, beside its own shards, and the answer says how busy it
 * is. `otherwise` has those of everybody else.
 */
export function peerInference(
  service: PeerService,
  underWay: CallsUnderWay,
  otherwise: handleUnaryCall<Buffer, Buffer>,
): handleUnaryCall<Buffer, Buffer> {
  return (call, callback) => {
    const size = peerSizeOf(call.metadata);
    if (size === undefined) return otherwise(call, callback);
    const cameMs = performance.now();
    const notes = (deviceKind: string): AnswerNotes => {
      return { deviceKind, load: service.load(), thereMs: performance.now() - cameMs };
    };
    serve(service, underWay, call, size).then(
      ({ bytes, deviceKind }) => {
        call.sendMetadata(setNotes(new Metadata(), notes(deviceKind)));
        callback(null, bytes);
      },
      (error) => callback(statusForPeer(asFault(error), notes(''))),
    );
  };
}

async function serve(
  service: PeerService,
  underWay: CallsUnderWay,
  call: Call,
  size: number,
): Promise<{ readonly bytes: Buffer; readonly deviceKind: string }> {
  const deadlineMs = Number(call.getDeadline());
  const over = underWay.enter(call.request.length, deadlineMs);
  try {
    const request = requestOf(call.request, size);
    const until = Math.min(deadlineMs, Date.now() + LONGEST_TIMER_MS) as UnixMs;
    const { response, deviceKind } = await service.infer(request, until, signalOf(call));
    const { model, version, outputs: tensors } = response;
    const bytes = encodeInferResponse({ model, version, id: request.requestId, tensors });
    response.release?.();
    return { bytes, deviceKind };
  } finally {
    over();
  }
}
