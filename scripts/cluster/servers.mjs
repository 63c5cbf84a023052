import { spawn } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execute, ImagesError } from '../images/docker.mjs';
import { KubernetesApi } from './api.mjs';

const loopback = '127.0.0.1';
/** Of the administrator, which others on this machine are not. */
const token = randomBytes(24).toString('hex');

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, loopback, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** etcd, kube-apiserver and controllers of one cluster without nodes, on loopback, with data in `folder`. */
export class ControlPlane {
  #running = [];

  constructor(programs, folder) {
    this.programs = programs;
    this.folder = folder;
    this.kubeconfig = join(folder, 'kubeconfig.json');
  }

  async start() {
    const authority = join(this.folder, 'certificates', 'apiserver.crt');
    this.#writeKeys();
    const [client, peer, secure] = [await freePort(), await freePort(), await freePort()];
    const etcd = `http://${loopback}:${client}`;
    this.#spawn(
      'etcd',
      this.programs.etcd,
      etcdFlags(join(this.folder, 'etcd'), etcd, `http://${loopback}:${peer}`),
    );
    writeFileSync(join(this.folder, 'tokens.csv'), `${token},admin,admin,"system:masters"\n`, {
      mode: 0o600,
    });
    writeFileSync(this.kubeconfig, JSON.stringify(kubeconfig(`https://${loopback}:${secure}`, authority)), {
      mode: 0o600,
    });
    this.#spawn('kube-apiserver', this.programs.apiserver, apiserverFlags(this.folder, etcd, secure));
    this.api = new KubernetesApi({ port: secure, token, authority });
    await this.#ready();
    this.#spawn('controllers', this.programs.controllers, [this.kubeconfig]);
  }

  /** helm, with what it keeps in `folder`. */
  helm(args, options) {
    const env = {
      ...process.env,
      HELM_NO_PLUGINS: '1',
      HELM_CACHE_HOME: this.folder,
      HELM_CONFIG_HOME: this.folder,
    };
    return execute(this.programs.helm, [`--kubeconfig=${this.kubeconfig}`, ...args], { env, ...options });
  }

  async stop() {
    for (const child of this.#running.reverse()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const gone = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await Promise.race([gone, sleep(10_000).then(() => child.kill('SIGKILL'))]);
    }
  }

  #spawn(name, program, args) {
    const log = openSync(join(this.folder, `${name}.log`), 'a');
    const child = spawn(program, args, { stdio: ['ignore', log, log] });
    child.once('error', () => undefined);
    closeSync(log);
    this.#running.push(child);
  }

  /** With the roles and namespaces that the server makes itself. */
  async #ready() {
    for (let tries = 0; tries < 120; tries += 1) {
      if ((await this.api.ask('GET', '/readyz')).code === 200) return;
      if (this.#running.some(({ exitCode }) => exitCode !== null)) break;
      await sleep(1_000);
    }
    const log = readFileSync(join(this.folder, 'kube-apiserver.log'), 'utf8');
    throw new ImagesError(`kube-apiserver is not ready:\n${log.trimEnd().split('\n').slice(-10).join('\n')}`);
  }

  #writeKeys() {
    const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(join(this.folder, 'sa.key'), privateKey.export({ type: 'pkcs8', format: 'pem' }), {
      mode: 0o600,
    });
    writeFileSync(join(this.folder, 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
  }
}

const etcdFlags = (folder, client, peer) => [
  `--data-dir=${folder}`,
  `--listen-client-urls=${client}`,
  `--advertise-client-urls=${client}`,
  `--listen-peer-urls=${peer}`,
  `--initial-advertise-peer-urls=${peer}`,
  `--initial-cluster=default=${peer}`,
  '--unsafe-no-fsync',
];

const apiserverFlags = (folder, etcd, port) => [
  `--etcd-servers=${etcd}`,
  `--bind-address=${loopback}`,
  `--advertise-address=${loopback}`,
  `--secure-port=${port}`,
  `--cert-dir=${join(folder, 'certificates')}`,
  `--token-auth-file=${join(folder, 'tokens.csv')}`,
  '--authorization-mode=RBAC',
  '--service-cluster-ip-range=10.96.0.0/16',
  '--service-account-issuer=https://kubernetes.default.svc',
  `--service-account-key-file=${join(folder, 'sa.pub')}`,
  `--service-account-signing-key-file=${join(folder, 'sa.key')}`,
  '--endpoint-reconciler-type=none',
];

/** The certificate is one that the server has just made for itself. */
const kubeconfig = (server, authority) => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'here',
  contexts: [{ name: 'here', context: { cluster: 'here', user: 'admin' } }],
  clusters: [{ name: 'here', cluster: { server, 'certificate-authority': authority } }],
  users: [{ name: 'admin', user: { token } }],
});
