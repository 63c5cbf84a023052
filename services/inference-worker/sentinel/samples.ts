import type { InferRequest } from '#lib/engine-client/port';

const mostModels = 8;
const mostBytes = 4 * 1_024 * 1_024;

export function inputBytes({ inputs }: InferRequest): number {
  return inputs.reduce((sum, { data }) => sum + data.byteLength, 0);
}

/** The last request of each model that was answered well: what a new engine is warmed up with. */
export class Samples {
  private readonly requests = new Map<string, InferRequest>();

  /** Returns whether it is the first of its model. */
  keep(request: InferRequest): boolean {
    const isNew = !this.requests.has(request.model);
    if (inputBytes(request) > mostBytes || (isNew && this.requests.size >= mostModels)) return false;
    const { model, version, inputs } = request;
    this.requests.set(model, { model, version, requestId: 'warm-up', inputs });
    return isNew;
  }

  all(): InferRequest[] {
    return [...this.requests.values()];
  }
}
