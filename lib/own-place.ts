import { projectRoot } from '#schemas/project-root';

const framePattern = /(?:file:\/\/)?(\/[^():]*):(\d{1,7})(?::\d{1,7})?\)?$/;
const mostFrames = 30;
/** No frame of ours is longer; what a message says may be. */
const longestLine = 1_000;
const mostLetters = 160;

/**
 * Where in our own code an error came up: the innermost frame that is neither Node's nor a package's, as `lib/redis.ts:28`;
 * null where there is none. No text of the error, and nothing of the machine, is in it.
 */
export function ownPlace(stack: string, root = projectRoot): string | null {
  for (const line of stack.split('\n', mostFrames)) {
    if (line.length > longestLine || !/^\s+at /.test(line)) continue;
    const [, file, number] = framePattern.exec(line) ?? [];
    if (!file?.startsWith(`${root}/`) || file.includes('/node_modules/')) continue;
    const place = `${file.slice(root.length + 1)}:${number}`;
    if (place.length <= mostLetters && /^[\w./@-]+:\d+$/.test(place)) return place;
  }
  return null;
}
