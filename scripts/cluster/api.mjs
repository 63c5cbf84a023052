import { readFileSync } from 'node:fs';
import { request } from 'node:https';

/** Where objects of a namespace are, by kind. */
const places = {
  pods: 'api/v1',
  services: 'api/v1',
  configmaps: 'api/v1',
  secrets: 'api/v1',
  serviceaccounts: 'api/v1',
  events: 'api/v1',
  deployments: 'apis/apps/v1',
  replicasets: 'apis/apps/v1',
  poddisruptionbudgets: 'apis/policy/v1',
  networkpolicies: 'apis/networking.k8s.io/v1',
  endpointslices: 'apis/discovery.k8s.io/v1',
  scaledobjects: 'apis/keda.sh/v1alpha1',
  podmonitors: 'apis/monitoring.coreos.com/v1',
  prometheusrules: 'apis/monitoring.coreos.com/v1',
};
export const kinds = Object.keys(places);

export const pathOf = (kind, namespace, name) =>
  `/${places[kind]}/namespaces/${namespace}/${kind}${name === undefined ? '' : `/${name}`}`;

/** The API of one server, as an administrator. */
export class KubernetesApi {
  constructor({ port, token, authority }) {
    this.options = { host: '127.0.0.1', port, headers: { authorization: `Bearer ${token}` } };
    this.authority = authority;
  }

  /** Resolves to `{ code, text }`; a server that isn't there has code 0. */
  ask(method, path, { body, type = 'application/json' } = {}) {
    const headers = { ...this.options.headers, ...(body && { 'content-type': type }) };
    // Written by the server at its first start.
    const ca = readOrNone(this.authority);
    return new Promise((resolve) => {
      const asked = request({ ...this.options, ca, method, path, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (data) => (text += data));
        answer.on('end', () => resolve({ code: answer.statusCode, text }));
      });
      asked.setTimeout(30_000, () => asked.destroy());
      asked.on('error', (error) => resolve({ code: 0, text: error.message }));
      asked.end(body && JSON.stringify(body));
    });
  }

  /** The objects of a kind; none of a kind that the server doesn't know. */
  async list(kind, namespace, selector = '') {
    const path = `${pathOf(kind, namespace)}?labelSelector=${encodeURIComponent(selector)}`;
    const { code, text } = await this.ask('GET', path);
    if (code === 404) return [];
    if (code !== 200) throw new Error(`${path}: ${code} ${text}`);
    return JSON.parse(text).items;
  }

  async create(path, body) {
    const { code, text } = await this.ask('POST', path, { body });
    if (code >= 300 || code === 0) throw new Error(`${path}: ${code} ${text}`);
  }

  merge(path, body) {
    return this.ask('PATCH', path, { body, type: 'application/merge-patch+json' });
  }
}

function readOrNone(file) {
  try {
    return readFileSync(file);
  } catch {
    return undefined;
  }
}
