import { setTimeout as sleep } from 'node:timers/promises';
import { pathOf } from './api.mjs';

const node = 'stand-in';

/**
 * What scheduler, kubelet and cloud would say, without running anything: each pod is bound to one node, has an address and
 * is ready; one that is to go is gone, and what it was given for that is kept in `graces` by its component. So rollouts,
 * disruption budgets and endpoints go on as in a cluster, by Kubernetes' own controllers.
 */
export class StandInKubelet {
  graces = new Map();
  #next = 10;
  #ended = false;

  constructor(api, namespace) {
    this.api = api;
    this.namespace = namespace;
  }

  async start() {
    await this.api.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: node } });
    this.loop = this.#run();
  }

  async stop() {
    this.#ended = true;
    await this.loop;
  }

  async #run() {
    while (!this.#ended) {
      for (const pod of await this.api.list('pods', this.namespace)) await this.#look(pod);
      for (const service of await this.api.list('services', this.namespace)) await this.#balance(service);
      await sleep(300);
    }
  }

  async #look({ metadata, spec, status }) {
    const path = pathOf('pods', this.namespace, metadata.name);
    if (metadata.deletionTimestamp !== undefined) {
      this.graces.set(metadata.labels['app.kubernetes.io/component'], metadata.deletionGracePeriodSeconds);
      await this.api.ask('DELETE', `${path}?gracePeriodSeconds=0`);
    } else if (spec.nodeName === undefined) {
      const target = { apiVersion: 'v1', kind: 'Node', name: node };
      const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name: metadata.name }, target };
      await this.api.ask('POST', `${path}/binding`, { body });
    } else if (status.phase !== 'Running') {
      await this.api.merge(`${path}/status`, { status: this.#readyStatus(spec.containers) });
    }
  }

  /** The address that a cloud gives a service of the type LoadBalancer. */
  async #balance({ metadata, spec, status }) {
    if (spec.type !== 'LoadBalancer' || status.loadBalancer?.ingress !== undefined) return;
    const path = `${pathOf('services', this.namespace, metadata.name)}/status`;
    await this.api.merge(path, { status: { loadBalancer: { ingress: [{ ip: '10.1.0.1' }] } } });
  }

  #readyStatus(containers) {
    const lastTransitionTime = new Date().toISOString().replace(/\.\d+/, '');
    this.#next += 1;
    const podIP = `10.0.${this.#next >> 8}.${this.#next & 255}`;
    const conditions = ['PodScheduled', 'Initialized', 'ContainersReady', 'Ready'];
    const state = { running: { startedAt: lastTransitionTime } };
    return {
      phase: 'Running',
      podIP,
      podIPs: [{ ip: podIP }],
      conditions: conditions.map((type) => ({ type, status: 'True', lastTransitionTime })),
      containerStatuses: containers.map(({ name, image }) => {
        return { name, image, imageID: image, ready: true, started: true, restartCount: 0, state };
      }),
    };
  }
}
