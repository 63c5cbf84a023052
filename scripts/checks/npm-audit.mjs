#!/usr/bin/env node
import { spawnSync } from 'node:child_process';
import { pathToFileURL } from 'node:url';
import { projectRoot } from '../setup/places.mjs';
import { skip } from './skip.mjs';

const refused = ['high', 'critical'];

/** Of `npm audit --json`: what is known against packages that the product uses; null where the registry tells nothing. */
export function auditFaults(text) {
  let report;
  try {
    report = JSON.parse(text);
  } catch {
    return null;
  }
  const known = report?.vulnerabilities;
  if (typeof known !== 'object' || known === null) return null;
  return Object.values(known)
    .filter(({ severity }) => refused.includes(severity))
    .map(({ name, severity, range }) => `${name} ${range}: ${severity}`);
}

function main() {
  const options = { cwd: projectRoot, encoding: 'utf8', timeout: 60_000 };
  const { stdout, stderr } = spawnSync('npm', ['audit', '--omit=dev', '--json'], options);
  const faults = auditFaults(stdout ?? '');
  if (faults === null) return skip(`npm audit had no answer: ${(stderr ?? '').split('\n')[0]}`);
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
