import { get as getHttp, type Agent as HttpAgent, type ClientRequest, type IncomingMessage } from 'node:http';
import { get as getHttps, type Agent as HttpsAgent } from 'node:https';
import type { Instance } from './instances';

export interface Agents {
  readonly http: HttpAgent;
  readonly https: HttpsAgent;
}

/** A process is asked at its address by the name that it was found by: its certificate has that one alone. */
export function getFrom(
  { url, hostname }: Instance,
  path: string,
  { http, https }: Agents,
  onResponse: (response: IncomingMessage) => void,
): ClientRequest {
  const { port, protocol } = new URL(url);
  const headers = hostname === undefined ? {} : { host: port === '' ? hostname : `${hostname}:${port}` };
  if (protocol !== 'https:') return getHttp(`${url}${path}`, { agent: http, headers }, onResponse);
  const name = hostname === undefined ? {} : { servername: hostname };
  return getHttps(`${url}${path}`, { agent: https, headers, ...name }, onResponse);
}
