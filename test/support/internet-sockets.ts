import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Sockets of the process that are of TCP or UDP, by their inodes. */
export function internetSockets(pid: number): string[] {
  const inodes = ['tcp', 'tcp6', 'udp', 'udp6'].flatMap((name) =>
    readFileSync(`/proc/${pid}/net/${name}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/)[9]),
  );
  const links = execFileSync('ls', ['-l', `/proc/${pid}/fd`]).toString();
  return [...links.matchAll(/socket:\[(\d+)\]/g)]
    .map(([, inode]) => inode!)
    .filter((one) => inodes.includes(one));
}
