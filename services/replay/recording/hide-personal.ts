import { createHmac } from 'node:crypto';
import type { DecisionId } from '#schemas/brands';
import { decisionContentHash } from '#schemas/codec';
import type {
  Courier,
  Decision,
  DemandPlace,
  DispatchRound,
  Observation,
  Order,
  RoundKey,
  ShardOutcome,
  Stop,
} from '#schemas/domain';
import { headers as headerNames } from '#schemas/topics';
import { noOrderFeatures } from '#schemas/no-order-features';
import type { PersonalField, PersonalRules } from './personal-rules';
import type { RecordedRound } from './recorded-round';

const nowhere = { x: 0, y: 0 };

/** A zone of a travel matrix may be as small as a house: without its point it would still say where that is. */
function withoutZone<T extends { readonly travelZone?: number }>({
  travelZone: _zone,
  ...rest
}: T): Omit<T, 'travelZone'> {
  return rest;
}

/** A replay needs it, and it says nothing of anybody. */
const keptHeaders: readonly string[] = [headerNames.effort];

/** 96 bits: two of a billion ids are alike with a chance of one in 10^11. */
const hashDigits = 24;

/** Hashes and drops what the rules name, in all parts of a round alike. */
export class PersonalHider {
  constructor(private readonly rules: PersonalRules) {}

  hide(round: RecordedRound): RecordedRound {
    if (this.rules.fields.size === 0) return round;
    const { manifest, outcomes, decision } = round;
    const headers = <T extends { readonly headers: RecordedRound['headers'] }>(part: T): T =>
      this.drops('headers')
        ? { ...part, headers: part.headers.filter(({ name }) => keptHeaders.includes(name)) }
        : part;
    return headers({
      ...round,
      manifest: { ...manifest, round: this.round(manifest.round) },
      outcomes: outcomes.map((one) => headers({ ...one, outcome: this.outcome(one.outcome) })),
      decision: decision && headers({ ...decision, decision: this.decision(decision.decision) }),
    });
  }

  observation(one: Observation): Observation {
    return {
      ...one,
      tenantId: this.id('tenantId', one.tenantId),
      zoneId: this.id('zoneId', one.zoneId),
      orderId: this.id('orderId', one.orderId),
      courierId: one.courierId && this.id('courierId', one.courierId),
    };
  }

  private drops(field: PersonalField): boolean {
    return this.rules.fields.get(field) === 'drop';
  }

  private id<T extends string>(field: PersonalField, value: T): T {
    if (this.rules.fields.get(field) !== 'hash') return value;
    const hash = createHmac('sha256', this.rules.salt).update(`${field}\u001f${value}`);
    return hash.digest('hex').slice(0, hashDigits) as T;
  }

  private ids<T extends string>(field: PersonalField, values: readonly T[]): T[] {
    return values.map((value) => this.id(field, value));
  }

  private key<T extends RoundKey & Pick<DispatchRound, 'zoneId'>>(value: T): T {
    return {
      ...value,
      tenantId: this.id('tenantId', value.tenantId),
      roundId: this.id('roundId', value.roundId),
      zoneId: this.id('zoneId', value.zoneId),
    };
  }

  private round(round: DispatchRound): DispatchRound {
    return {
      ...this.key(round),
      couriers: round.couriers.map((courier) => this.courier(courier)),
      orders: round.orders.map((order) => this.order(order)),
      cancelledOrderIds: this.ids('orderId', round.cancelledOrderIds),
      ...(round.demand && { demand: round.demand.map((place) => this.demandPlace(place)) }),
    };
  }

  private demandPlace(place: DemandPlace): DemandPlace {
    const placeId = this.id('placeId', place.placeId);
    return this.drops('pickupPoint')
      ? { ...withoutZone(place), placeId, point: nowhere }
      : { ...place, placeId };
  }

  private skills(skills: readonly string[]): readonly string[] {
    return this.drops('skills') ? [] : this.ids('skills', skills);
  }

  private courier(courier: Courier): Courier {
    const there = this.drops('courierPosition') ? { ...withoutZone(courier), position: nowhere } : courier;
    return {
      ...there,
      courierId: this.id('courierId', courier.courierId),
      skills: this.skills(courier.skills),
      held: courier.held.map((held) => ({ ...held, orderId: this.id('orderId', held.orderId) })),
      tentativeOrderIds: this.ids('orderId', courier.tentativeOrderIds),
    };
  }

  private stop(stop: Stop, point: PersonalField): Stop {
    const placeId = this.id('placeId', stop.placeId);
    return this.drops(point) ? { ...withoutZone(stop), placeId, point: nowhere } : { ...stop, placeId };
  }

  private order(order: Order): Order {
    const features = this.drops('features') ? noOrderFeatures : order.features;
    return {
      ...order,
      orderId: this.id('orderId', order.orderId),
      pickup: this.stop(order.pickup, 'pickupPoint'),
      dropoff: this.stop(order.dropoff, 'dropoffPoint'),
      requiredSkills: this.skills(order.requiredSkills),
      features: this.drops('dropoffFloor') ? { ...features, dropoffFloor: 0 } : features,
    };
  }

  private outcome(outcome: ShardOutcome): ShardOutcome {
    return this.key(outcome);
  }

  /** Of the round's ids without a salt: as it is, it would tell whether a guess of them is right. */
  private decisionId(id: DecisionId): DecisionId {
    if (![...this.rules.fields.values()].includes('hash')) return id;
    const hash = createHmac('sha256', this.rules.salt).update(`decisionId\u001f${id}`);
    return hash.digest('hex').slice(0, id.length) as DecisionId;
  }

  /** Its content hash is that of what is left. */
  private decision(decision: Decision): Decision {
    const { content } = decision;
    const hidden = {
      ...content,
      assignments: content.assignments.map((assignment) => ({
        ...assignment,
        courierId: this.id('courierId', assignment.courierId),
        orderIds: this.ids('orderId', assignment.orderIds),
        stops: assignment.stops.map((stop) => ({
          ...stop,
          orderIds: this.ids('orderId', stop.orderIds),
          placeId: this.id('placeId', stop.placeId),
        })),
      })),
      moves: content.moves.map((move) => ({
        ...move,
        courierId: this.id('courierId', move.courierId),
        placeId: this.id('placeId', move.placeId),
      })),
      unassigned: content.unassigned.map((one) => ({ ...one, orderId: this.id('orderId', one.orderId) })),
    };
    const decisionId = this.decisionId(decision.decisionId);
    return { ...this.key(decision), decisionId, content: hidden, contentHash: decisionContentHash(hidden) };
  }
}
