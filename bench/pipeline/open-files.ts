import { readdirSync, readlinkSync } from 'node:fs';

/** What the descriptors of a process point to; one that was just closed gives nothing. */
export function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((fd) => {
    try {
      return [readlinkSync(`${folder}/${fd}`)];
    } catch {
      return [];
    }
  });
}
