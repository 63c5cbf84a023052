import { Agent, request as send, type IncomingMessage } from 'node:http';
import { requestTimeoutMs, type ModelStatistics, type Target } from './target';
import type { BenchTensor, InputMetadata } from './tensors';

function baseOf(url: string): URL {
  return new URL(url.includes('://') ? url : `http://${url}`);
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** The JSON and the tensors behind it, as tritonclient sends them. */
function bodyOf(tensors: readonly BenchTensor[]): { readonly body: Buffer; readonly jsonBytes: number } {
  const inputs = tensors.map(({ name, datatype, shape, data }) => ({
    name,
    datatype,
    shape,
    parameters: { binary_data_size: data.length },
  }));
  const json = Buffer.from(JSON.stringify({ parameters: { binary_data_output: true }, inputs }));
  return { body: Buffer.concat([json, ...tensors.map(({ data }) => data)]), jsonBytes: json.length };
}

/** HTTP with kept connections, one for each request at a time. */
export function httpTarget(url: string, model: string): Target {
  const base = baseOf(url);
  const agent = new Agent({ keepAlive: true });
  const path = `/v2/models/${encodeURIComponent(model)}`;
  const call = (method: string, target: string, headers = {}, body?: Buffer): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const request = send(
        new URL(target, base),
        { method, agent, headers, timeout: requestTimeoutMs },
        resolve,
      );
      request.once('timeout', () => request.destroy(new Error(`no answer in ${requestTimeoutMs} ms`)));
      request.once('error', reject);
      request.end(body);
    });
  const ask = async <Answer>(target: string): Promise<Answer> => {
    const response = await call('GET', target);
    const text = await textOf(response);
    if (response.statusCode !== 200)
      throw new Error(`${target}: ${response.statusCode} ${text.slice(0, 500)}`);
    return JSON.parse(text) as Answer;
  };
  return {
    inputs: async () => (await ask<{ inputs: InputMetadata[] }>(path)).inputs,
    statistics: async () => (await ask<{ model_stats: ModelStatistics[] }>(`${path}/stats`)).model_stats,
    prepare(tensors) {
      const { body, jsonBytes } = bodyOf(tensors);
      const headers = { 'inference-header-content-length': jsonBytes, 'content-length': body.length };
      return async () => {
        const response = await call('POST', `${path}/infer`, headers, body);
        if (response.statusCode !== 200) throw new Error((await textOf(response)).slice(0, 500));
        response.resume();
        await new Promise((resolve) => response.once('end', resolve));
      };
    },
    close() {
      agent.destroy();
      return Promise.resolve();
    },
  };
}
