#!/usr/bin/env node
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readFlags } from './flags.mjs';
import { projectRoot } from './setup/places.mjs';

/** Sends one request to the model fault_injection; docs/fault-injection.md. */
const usage = `usage: node scripts/drill.mjs ADDRESS [fault=value ...]

ADDRESS is a worker's gRPC port (127.0.0.1:8001), or unix: and an engine's socket. A value is true, false, a whole
number or a text. Faults: delay_ms, ignore_cancel, leak_bytes, device_fault, illegal_address, fail,
exit, abort, segfault, hang.
The request has five seconds. Ends with 0 when it has printed what came of it, with 2 for a wrong command line.`;

const withinMs = 5_000;

const valueOf = (text) =>
  text === 'true' || text === 'false' ? text === 'true' : /^-?\d+$/.test(text) ? BigInt(text) : text;

async function send(address, faults) {
  const require = createRequire(import.meta.url);
  const { connectEngine } = require(join(projectRoot, 'dist', 'lib', 'engine-client', 'grpc.js'));
  const parameters = Object.fromEntries(
    faults.map((fault) => {
      const [name] = fault.split('=', 1);
      return [name, valueOf(fault.slice(name.length + 1))];
    }),
  );
  const inputs = [{ name: 'IN', datatype: 'UINT8', shape: [3], data: Buffer.from('abc') }];
  const request = { model: 'fault_injection', version: '', requestId: 'drill', inputs, parameters };
  const engine = connectEngine({ address });
  try {
    const { outputs } = await engine.infer(request, Date.now() + withinMs);
    for (const { name, data } of outputs) console.log(`${name}: ${Buffer.from(data).toString().trimEnd()}`);
  } catch (error) {
    if (error.code === undefined) throw error;
    console.log(`${error.code}: ${error.message}`);
  } finally {
    await engine.close();
  }
}

const [address, ...faults] = readFlags(usage, {}, { mostWords: Infinity }).words;
if (address === undefined || !faults.every((fault) => /^[^=]+=/.test(fault))) {
  console.error(usage);
  process.exitCode = 2;
} else {
  await send(address, faults);
}
