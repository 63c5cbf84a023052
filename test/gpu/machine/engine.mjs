import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const readyWithinMs = 60_000;
const livesMs = 120_000;

/** An engine of the product as a process, with the shipped models and the one that fails as it is told to. */
export class Engine {
  /** Its log, and what else it wrote. */
  log = [];
  words = '';
  readyMs = null;

  constructor(machine, env = {}) {
    this.machine = machine;
    this.folder = mkdtempSync(join(tmpdir(), 'roundhouse-gpu-'));
    this.socket = join(this.folder, 'engine.sock');
    const models = join(this.folder, 'models');
    cpSync(join(machine.root, 'models'), models, { recursive: true });
    cpSync(join(machine.root, 'test', 'fixtures', 'fault-injection'), models, { recursive: true });
    this.startedAt = performance.now();
    this.child = this.spawn({ ROUNDHOUSE_MODELS_DIR: models, ROUNDHOUSE_FAULT_INJECTION: '1', ...env });
    const limit = setTimeout(() => this.child.kill('SIGKILL'), livesMs);
    this.ended = new Promise((resolve) =>
      this.child.once('close', (code, signal) => {
        clearTimeout(limit);
        rmSync(this.folder, { recursive: true, force: true });
        resolve({ code, signal, at: performance.now() });
      }),
    );
  }

  /** As a worker starts it. */
  spawn(own) {
    const dist = join(this.machine.root, 'dist');
    const { engineChild } = createRequire(import.meta.url)(join(dist, 'lib', 'engine-child.js'));
    const main = join(dist, 'services', 'inference-worker', 'engine', 'main.js');
    const command = [process.execPath, '--enable-source-maps', main];
    const all = { ...this.machine.env, ...own };
    const { program, args, env } = engineChild(command, all, { ROUNDHOUSE_ENGINE_SOCKET: this.socket });
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'], env });
    createInterface({ input: child.stdout }).on('line', (line) => this.heard(line));
    child.stderr.setEncoding('utf8').on('data', (text) => (this.words += text));
    return child;
  }

  heard(line) {
    if (line.startsWith('{')) this.log.push(JSON.parse(line));
    else this.words += `${line}\n`;
  }

  event(name) {
    return this.log.find(({ event }) => event === name);
  }

  /** Resolves to itself; rejects with its words where it ends before, or takes too long. */
  async ready() {
    const isReady = new Promise((resolve) =>
      this.child.on('message', ({ type }) => type === 'ready' && resolve('ready')),
    );
    const timer = setTimeout(() => this.child.kill('SIGKILL'), readyWithinMs);
    const first = await Promise.race([isReady, this.ended]);
    clearTimeout(timer);
    if (first !== 'ready')
      throw new Error(`the engine ended with ${first.code ?? first.signal}: ${this.words}`);
    this.readyMs = performance.now() - this.startedAt;
    return this;
  }

  connect() {
    const require = createRequire(import.meta.url);
    const { connectEngine } = require(join(this.machine.root, 'dist', 'lib', 'engine-client', 'grpc.js'));
    return connectEngine({ address: `unix:${this.socket}` });
  }

  async stop() {
    this.child.kill('SIGTERM');
    return this.ended;
  }
}

/** A request to the model fault_injection. */
export function faultRequest(parameters = {}) {
  const inputs = [{ name: 'IN', datatype: 'UINT8', shape: [3], data: Buffer.from('abc') }];
  return { model: 'fault_injection', version: '', requestId: 'gpu test', inputs, parameters };
}
