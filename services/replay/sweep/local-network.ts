import { join } from 'node:path';
import { loadModelRepository } from '#lib/model-repository';
import { ETR_OUTPUTS, EtrOutput } from '#schemas/tensors';
import { recordingInvalid } from '../container/container-reader';
import { featureRows } from '../etr/feature-rows';
import type { PrepPredictor } from './ready-knowledge';

const NETWORK = 'delivery_time';

/** The median by the stable network, in this process: a sweep has no engines. Throws RECORDING_INVALID where there is none. */
export async function byLocalNetwork(modelsDir: string): Promise<PrepPredictor> {
  const model = loadModelRepository(modelsDir)
    .refsOf('stable')
    .find(({ name }) => name === NETWORK);
  if (model === undefined) throw recordingInvalid(`${modelsDir} has no stable ${NETWORK}`);
  const { InferenceSession, Tensor } = await import('onnxruntime-node');
  const file = join(modelsDir, NETWORK, model.version, 'model.onnx');
  const session = await InferenceSession.create(file, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  return async (round, orders) => {
    if (orders.length === 0) return [];
    const { data, shape } = featureRows(round, orders);
    const features = new Tensor('float32', new Float32Array(data.buffer as ArrayBuffer), [...shape]);
    const { quantiles } = await session.run({ features });
    const values = quantiles!.data as Float32Array;
    return orders.map((_, index) => values[index * ETR_OUTPUTS + EtrOutput.prepP50]!);
  };
}
