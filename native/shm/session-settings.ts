import type { ShmSessionOptions } from './session-types';
import { sizeClasses } from './size-classes';

/** Below this a copy costs less than a view and its end. */
export const copyBelowBytes = 32_768;
export const slabBytes = 8 * copyBelowBytes;
const defaults = {
  mostSpinUs: 60,
  ringBytes: 1_048_576,
  inlineBytes: 2_048,
  mostInlineBytes: 65_536,
  connectTimeoutMs: 2_000,
};
const defaultPoolBytes = 256 * 1_024 * 1_024;

/** What the addon opens a session with, and how long that may take. */
export function sessionSettings(options: ShmSessionOptions) {
  const { socketPath, classes = sizeClasses(defaultPoolBytes) } = options;
  const { connectTimeoutMs, ringBytes, inlineBytes, mostInlineBytes, mostSpinUs } = {
    ...defaults,
    ...options,
  };
  const sizes = { ringBytes, inlineBytes, mostInlineBytes, mostSpinUs, copyBelowBytes };
  return { settings: { socketPath, classes, ...sizes }, connectTimeoutMs };
}
