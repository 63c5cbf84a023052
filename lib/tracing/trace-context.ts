import { randomBytes } from 'node:crypto';

/** W3C Trace Context (Recommendation of 2021, level 1). */
export interface TraceContext {
  /** 32 hexadecimal digits, not all 0. */
  readonly traceId: string;
  /** 16 of them. */
  readonly spanId: string;
  /** Whoever called records the trace. */
  readonly isSampled: boolean;
  /** Of other systems, passed on as it is; empty: none. */
  readonly state: string;
}

const pattern = /^([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
/** A longer one is left out: that is allowed, and it would ride on every shard. */
const mostStateLetters = 512;
const longest = 256;

/** null for what is none. Of later versions only what version 00 has is read, as the recommendation says. */
export function parseTraceParent(text: string | undefined, state = ''): TraceContext | null {
  if (text === undefined || text.length > longest) return null;
  const [, version, traceId, spanId, flags, more] = pattern.exec(text) ?? [];
  if (traceId === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  const isSampled = (parseInt(flags!, 16) & 1) === 1;
  const isGood = state.length <= mostStateLetters && /^[\x20-\x7e\t]*$/.test(state);
  return { traceId, spanId: spanId!, isSampled, state: isGood ? state.trim() : '' };
}

export function traceParentOf({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** Of a trace that begins here and isn't recorded. */
export function newTraceContext(): TraceContext {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')];
  return { traceId, spanId, isSampled: false, state: '' };
}

/** For logs and exemplars: only of a trace that somebody records. */
export function sampledTraceId(traceparent: string | null | undefined): string | undefined {
  const context = parseTraceParent(traceparent ?? undefined);
  return context?.isSampled === true ? context.traceId : undefined;
}
