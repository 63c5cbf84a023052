import type { EngineEnd } from './engine-process';

/** As every service of ours ends where its configuration is wrong (lib/service.ts). */
const configExitCode = 2;
const start = 'engine: CONFIG_INVALID: ';

/** Why an engine that ended thus can't be started at all, by the words that it wrote; null for any other end. */
export function configFault({ code }: EngineEnd, words: string): string | null {
  if (code !== configExitCode) return null;
  // A fault of each line may follow; what stands before it is the core's.
  const at = words.lastIndexOf(start);
  return at < 0 ? words : words.slice(at + start.length);
}
