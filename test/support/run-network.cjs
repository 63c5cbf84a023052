'use strict';
/** node run-network.cjs MODEL.onnx: FP32 rows of 20 features from standard input, FP32 rows of 8 quantiles to standard output. */
const { readFileSync } = require('node:fs');
const { InferenceSession, Tensor } = require('onnxruntime-node');

const features = 20;

async function main() {
  const bytes = Uint8Array.from(readFileSync(0));
  const rows = new Float32Array(bytes.buffer);
  const session = await InferenceSession.create(process.argv[2], { intraOpNumThreads: 1 });
  const input = new Tensor('float32', rows, [rows.length / features, features]);
  const { quantiles } = await session.run({ features: input });
  const { buffer, byteOffset, byteLength } = quantiles.data;
  process.stdout.write(Buffer.from(buffer, byteOffset, byteLength));
}

main();
