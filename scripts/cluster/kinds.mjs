import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';

const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Makes the kinds of `folder` known to the server: KEDA's and the Prometheus operator's, by their own definitions. */
export async function createKinds(api, folder) {
  const definitions = readdirSync(folder).map((name) => parse(readFileSync(join(folder, name), 'utf8')));
  for (const definition of definitions) await api.create(path, definition);
  for (const { metadata } of definitions) await established(api, metadata.name);
}

async function established(api, name) {
  for (let tries = 0; tries < 60; tries += 1) {
    const { status } = JSON.parse((await api.ask('GET', `${path}/${name}`)).text);
    if (status?.conditions?.some((one) => one.type === 'Established' && one.status === 'True')) return;
    await sleep(500);
  }
  throw new Error(`${name} is not established`);
}
