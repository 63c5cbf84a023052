import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ: 100 on every Linux that Node runs on. */
const msPerTick = 10;

/** Group and processor milliseconds (its own, user and system) of a process, by the text of /proc/<pid>/stat. */
export function parseStat(stat: string): { readonly group: number; readonly ms: number } | null {
  // The name, in parentheses, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [group, user, system] = [fields[2], fields[11], fields[12]].map(Number);
  if (group === undefined || !Number.isFinite(group + user! + system!)) return null;
  return { group, ms: (user! + system!) * msPerTick };
}

/** Of all processes of a group: an engine, and what it started. */
export function processorMs(group: number): number {
  let sum = 0;
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const found = statOf(pid);
    if (found?.group === group) sum += found.ms;
  }
  return sum;
}

function statOf(pid: string): ReturnType<typeof parseStat> {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return null;
  }
}
