/**
 * Brands for ids and units. A branded value is made at the edge that validated it (`as RoundId`), and
 * then a `UnixMs` can't be passed where `Seconds` are wanted.
 */
declare const brand: unique symbol;
type Brand<T, Name extends string> = T & { readonly [brand]: Name };

export type TenantId = Brand<string, 'TenantId'>;
export type RunId = Brand<string, 'RunId'>;
export type RoundId = Brand<string, 'RoundId'>;
export type ZoneId = Brand<string, 'ZoneId'>;
export type CourierId = Brand<string, 'CourierId'>;
export type OrderId = Brand<string, 'OrderId'>;
export type PlaceId = Brand<string, 'PlaceId'>;
export type DecisionId = Brand<string, 'DecisionId'>;
export type ShardIndex = Brand<number, 'ShardIndex'>;

/** Wall time, milliseconds since 1970 (deadlines, timers, broker append times). */
export type UnixMs = Brand<number, 'UnixMs'>;
/** Domain time or a duration of it, whole seconds. Solvers see nothing else. */
export type Seconds = Brand<number, 'Seconds'>;
/** Planar metres, whole. */
export type Metres = Brand<number, 'Metres'>;

/** Ids of producers are at most this many bytes of UTF-8. */
export const MAX_ID_BYTES = 64;
