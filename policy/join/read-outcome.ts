import type { RoundManifest, ShardOutcome } from '#schemas/domain';
import { outcomeStatuses, vehicles } from '#schemas/domain';
import {
  MAX_BUNDLE_ORDERS,
  ORDER_TIME_COLUMNS,
  OrderTimeColumn,
  PLAN_RECORD_BYTES,
  PlanRecord,
} from '#schemas/tensors';

/** The reason why an outcome can't be of this round, or null. */
export function outcomeFault(manifest: RoundManifest, outcome: ShardOutcome): string | null {
  const fault = envelopeFault(manifest, outcome);
  if (fault !== null || outcome.status !== 'solved') return fault;
  return sizeFault(manifest, outcome) ?? planFault(manifest, outcome);
}

function envelopeFault(manifest: RoundManifest, outcome: ShardOutcome): string | null {
  const { tenantId, runId, roundId } = manifest.round;
  if (outcome.tenantId !== tenantId || outcome.runId !== runId || outcome.roundId !== roundId) {
    return 'ids of another round';
  }
  const { shardIndex, status } = outcome;
  if (!Number.isInteger(shardIndex) || shardIndex < 0 || shardIndex >= manifest.shardCount) {
    return `shardIndex ${shardIndex} of ${manifest.shardCount} shards`;
  }
  return outcomeStatuses.includes(status) ? modelFault(manifest, outcome) : `status ${String(status)}`;
}

/** A round that was sent again after the labels changed has shards of two versions on Kafka; one counts. */
function modelFault({ models }: RoundManifest, outcome: ShardOutcome): string | null {
  for (const { name, version, contentHash } of outcome.models) {
    const own = models.find((model) => model.name === name);
    if (own === undefined) return `model ${name}, the round has none of that name`;
    if (own.version === version && own.contentHash === contentHash) continue;
    return `model ${name} ${version} (${contentHash}), the round has ${own.version} (${own.contentHash})`;
  }
  return null;
}

function sizeFault(manifest: RoundManifest, outcome: ShardOutcome): string | null {
  const expected = manifest.shardCandidateCounts[outcome.shardIndex]!;
  if (outcome.shardCount !== manifest.shardCount) {
    return `shardCount ${outcome.shardCount}, the round has ${manifest.shardCount}`;
  }
  if (outcome.candidateCount !== expected) return `candidateCount ${outcome.candidateCount}, not ${expected}`;
  if (outcome.plans.byteLength !== expected * PLAN_RECORD_BYTES) {
    return `${outcome.plans.byteLength} bytes of plans for ${expected} candidates`;
  }
  if (outcome.rideFactors.byteLength !== 4 * vehicles.length) {
    return `${outcome.rideFactors.byteLength} bytes of ride factors`;
  }
  return orderTimesFault(manifest, outcome.orderTimes);
}

function orderTimesFault(manifest: RoundManifest, bytes: Uint8Array): string | null {
  const rowBytes = 4 * ORDER_TIME_COLUMNS;
  if (bytes.byteLength % rowBytes !== 0) return `${bytes.byteLength} bytes of order times`;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at < bytes.byteLength; at += rowBytes) {
    const order = view.getInt32(at + 4 * OrderTimeColumn.roundIndex, true);
    if (order < 0 || order >= manifest.round.orders.length) return `order times of order ${order}`;
  }
  return null;
}

function planFault(manifest: RoundManifest, { plans: bytes, shardIndex }: ShardOutcome): string | null {
  const couriers = manifest.round.couriers.length;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const present = manifest.shardOrders[shardIndex]!;
  for (let at = 0; at < bytes.byteLength; at += PLAN_RECORD_BYTES) {
    const courier = view.getUint16(at + PlanRecord.courier, true);
    const count = view.getUint8(at + PlanRecord.orderCount);
    const row = at / PLAN_RECORD_BYTES;
    if (courier >= couriers) return `record ${row}: courier ${courier}`;
    if (count > MAX_BUNDLE_ORDERS) return `record ${row}: ${count} orders`;
    for (let i = 0; i < count; i++) {
      const order = view.getUint16(at + PlanRecord.orders + 2 * i, true);
      const stands = ((present[order >> 3] ?? 0) >> (order & 7)) & 1;
      if (stands === 0 || standsBefore(view, at, i, order)) return `record ${row}: order ${order}`;
    }
  }
  return null;
}

/** Is the order one of the first `count` of the record? */
function standsBefore(view: DataView, at: number, count: number, order: number): boolean {
  for (let i = 0; i < count; i++) {
    if (view.getUint16(at + PlanRecord.orders + 2 * i, true) === order) return true;
  }
  return false;
}
