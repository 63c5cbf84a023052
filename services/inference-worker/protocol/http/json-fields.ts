import type { Json, JsonObject } from './exact-json';
import { invalid } from './http-fault';

export function isObject(value: Json | undefined): value is JsonObject {
  return value instanceof Map;
}

function kindOf(value: Json | undefined): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'bigint' || typeof value === 'number') return 'a number';
  return typeof value === 'string' ? 'a string' : typeof value === 'boolean' ? 'a boolean' : 'an object';
}

/** An empty body counts as an empty object. */
export function objectOf(value: Json | undefined, where: string): JsonObject {
  if (isObject(value)) return value;
  throw invalid(`${where}: ${kindOf(value)}, expected an object`);
}

export function arrayOf(value: Json | undefined, where: string): readonly Json[] {
  if (Array.isArray(value)) return value as readonly Json[];
  throw invalid(`${where}: ${kindOf(value)}, expected an array`);
}

export function stringOf(value: Json | undefined, where: string): string {
  if (typeof value === 'string') return value;
  throw invalid(`${where}: ${kindOf(value)}, expected a string`);
}

export function booleanOf(value: Json | undefined, where: string): boolean {
  if (typeof value === 'boolean') return value;
  throw invalid(`${where}: ${kindOf(value)}, expected true or false`);
}

/** Whole and not negative, up to 2^53. */
export function sizeOf(value: Json | undefined, where: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  const shown = typeof value === 'number' || typeof value === 'bigint' ? String(value) : kindOf(value);
  throw invalid(`${where}: ${shown}, expected a whole number that is not negative`);
}

export function parametersOf(holder: JsonObject, where: string): JsonObject {
  const value = holder.get('parameters');
  return value === undefined ? new Map<string, Json>() : objectOf(value, `${where}parameters`);
}
