#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parse } from 'yaml';
import { projectRoot } from '../setup/places.mjs';

/** What of docker-compose.yml can be checked without Docker; see composeFaults. */
const requireBuilt = createRequire(join(projectRoot, 'package.json'));

/**
 * One sentence for each fault: health checks, dependencies, volumes, programs and settings, and services that nobody looks
 * at. `prometheus` is its configuration.
 */
export function composeFaults(compose, knownKeys, exists, prometheus = {}) {
  const services = Object.entries(compose.services ?? {});
  const named = new Set(services.map(([name]) => name));
  return services.flatMap(([name, service]) => [
    ...healthFaults(name, service),
    ...dependencyFaults(name, service, compose.services, named),
    ...volumeFaults(name, service, compose.volumes ?? {}, exists),
    ...programFaults(name, service, exists),
    ...settingFaults(name, service, knownKeys),
    ...watchFaults(name, service, watchersOf(compose, prometheus)),
  ]);
}

/** Who looks at services, each with the names that it asks for. */
function watchersOf({ services }, { scrape_configs: jobs = [] }) {
  const targets = Object.values(services).flatMap(
    ({ environment }) => environment?.ROUNDHOUSE_OPS_TARGETS ?? [],
  );
  return {
    Prometheus: jobs.flatMap(({ dns_sd_configs: lookups = [] }) => lookups.flatMap(({ names }) => names)),
    'the console': targets.flatMap((text) =>
      [...text.matchAll(/dns\+https?:\/\/([\w-]+)/g)].map(([, name]) => name),
    ),
  };
}

/** A service of the pipeline that no watcher finds by its name or another name of it: as if it were always well. */
function watchFaults(name, { command = [], networks = {} }, watchers) {
  const [, program] = /dist\/services\/([\w-]+)\/main\.js/.exec(command.join(' ')) ?? [];
  if (program === undefined) return [];
  const names = [name, ...Object.values(networks).flatMap(({ aliases = [] }) => aliases)];
  return Object.entries(watchers)
    .filter(([watcher]) => !(watcher === 'the console' && program === 'ops'))
    .filter(([, asked]) => !asked.some((one) => names.includes(one)))
    .map(([watcher]) => `${name}: ${watcher} does not look at it`);
}

function healthFaults(name, { healthcheck, profiles }) {
  if (healthcheck !== undefined)
    return Array.isArray(healthcheck.test) ? [] : [`${name}: a health check without test`];
  return profiles === undefined ? [`${name}: no health check`] : [];
}

function dependencyFaults(name, { depends_on: dependencies = {} }, services, named) {
  return Object.entries(dependencies).flatMap(([other, { condition }]) => {
    if (!named.has(other)) return [`${name}: depends on ${other}, which is no service`];
    const waits = condition === 'service_healthy';
    return waits && services[other].healthcheck === undefined
      ? [`${name}: waits for ${other}'s health, which has no check`]
      : [];
  });
}

function volumeFaults(name, { volumes = [] }, declared, exists) {
  return volumes.flatMap((volume) => {
    const [source] = volume.split(':');
    const known = source.startsWith('./') ? exists(source) : source in declared;
    return known ? [] : [`${name}: volume ${source} is neither declared nor a file`];
  });
}

function programFaults(name, { command = [], entrypoint = [], healthcheck, build }, exists) {
  const all = [...entrypoint, ...command, ...(healthcheck?.test ?? []), build?.dockerfile ?? ''];
  const words = all.filter((word) => /^((dist|scripts)\/|Dockerfile)/.test(word));
  return words.filter((word) => !exists(word)).map((word) => `${name}: ${word} does not exist`);
}

function settingFaults(name, { environment = {} }, knownKeys) {
  const ours = Object.keys(environment).filter((key) => key.startsWith('ROUNDHOUSE_'));
  return ours.filter((key) => !knownKeys.includes(key)).map((key) => `${name}: no process knows ${key}`);
}

if (process.argv[1]?.endsWith('compose.mjs')) {
  const compose = parse(readFileSync(join(projectRoot, 'docker-compose.yml'), 'utf8'), { merge: true });
  const { knownKeys } = requireBuilt('./dist/lib/config-keys.js');
  const prometheus = parse(readFileSync(join(projectRoot, 'ops', 'prometheus', 'prometheus.yml'), 'utf8'));
  const exists = (path) => existsSync(join(projectRoot, path));
  const faults = composeFaults(compose, knownKeys, exists, prometheus);
  for (const fault of faults) console.error(`docker-compose.yml: ${fault}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
