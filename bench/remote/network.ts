import { spawnSync } from 'node:child_process';
import type { NetworkKind } from './options';

/** Where the two workers of a run are. */
export interface Network {
  readonly kind: 'namespaces' | 'loopback';
  /** Why not namespaces, where they weren't asked against. */
  readonly why: string | null;
  readonly serving: { readonly address: string; readonly command: readonly string[] };
  readonly asking: { readonly address: string; readonly command: readonly string[] };
  remove(): void;
}

function ip(...args: string[]): string {
  const { status, stdout, stderr, error } = spawnSync('ip', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(error?.message ?? stderr.trim());
  return stdout;
}

/** UCX takes the devices that are up when it begins; the kernel says so up to a second later. */
function waitUntilUp(name: string, device: string): void {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; tries < 100; tries += 1) {
    if (ip('-n', name, 'link', 'show', 'dev', device).includes('state UP')) return;
    Atomics.wait(sleeper, 0, 0, 50);
  }
  throw new Error(`${device} is not up`);
}

function loopback(why: string | null): Network {
  const here = { address: '127.0.0.1', command: [] };
  return { kind: 'loopback', why, serving: here, asking: here, remove: () => undefined };
}

/** Two namespaces and a pair of virtual Ethernet devices between them; needs root. */
function namespaces(): Network {
  const names = ['serving', 'asking'].map((role) => `rh-${process.pid}-${role}`) as [string, string];
  const addresses = ['10.233.77.1', '10.233.77.2'] as const;
  const remove = (): void => names.forEach((name) => void spawnSync('ip', ['netns', 'del', name]));
  try {
    for (const name of names) ip('netns', 'add', name);
    ip('-n', names[0], 'link', 'add', 'rh0', 'type', 'veth', 'peer', 'name', 'rh1', 'netns', names[1]);
    names.forEach((name, i) => {
      ip('-n', name, 'addr', 'add', `${addresses[i]}/24`, 'dev', `rh${i}`);
      ip('-n', name, 'link', 'set', `rh${i}`, 'up');
      ip('-n', name, 'link', 'set', 'lo', 'up');
    });
    names.forEach((name, i) => waitUntilUp(name, `rh${i}`));
  } catch (error) {
    remove();
    throw error;
  }
  const [serving, asking] = names.map((name, i) => {
    return { address: addresses[i]!, command: ['ip', 'netns', 'exec', name] };
  });
  return { kind: 'namespaces', why: null, serving: serving!, asking: asking!, remove };
}

/** Throws where namespaces were asked for and can't be made. */
export function makeNetwork(kind: NetworkKind): Network {
  if (kind === 'loopback') return loopback(null);
  try {
    return namespaces();
  } catch (error) {
    if (kind === 'namespaces') throw error;
    return loopback((error as Error).message);
  }
}
