import { MetricsRegistry } from '#lib/metrics/registry';
import { TritonFamilies } from './triton-metrics';

const text = [
  '# HELP nv_inference_request_success Number of successful inference requests, all batch sizes',
  '# TYPE nv_inference_request_success counter',
  'nv_inference_request_success{model="candidate_cost",version="1"} 12',
  'nv_inference_request_success{model="a\\"b, {c}",version="1"} 3',
  '# HELP nv_inference_compute_infer_summary_us Summary',
  '# TYPE nv_inference_compute_infer_summary_us summary',
  'nv_inference_compute_infer_summary_us{model="m",version="1",quantile="0.5"} 1.5e3',
  'nv_inference_compute_infer_summary_us_sum{model="m",version="1"} 4000',
  'nv_inference_compute_infer_summary_us_count{model="m",version="1"} 2',
  '# HELP nv_pinned_memory_pool_used_bytes Used',
  '# TYPE nv_pinned_memory_pool_used_bytes gauge',
  'nv_pinned_memory_pool_used_bytes 0',
  '# HELP up not ours',
  'up 1',
  'nonsense',
  'nv_inference_request_success{model="m"} many',
  '',
].join('\n');

async function scraped(...texts: [text: string, engine: string][]): Promise<string[]> {
  const read = new TritonFamilies();
  for (const [each, engine] of texts) read.add(each, engine);
  const registry = new MetricsRegistry({ service: 'inference-worker' });
  registry.addSource(() => read.all());
  return (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('# HELP'));
}

test("Triton's own series go on as they are, with the engine's name", async () => {
  const more = 'engine="gpu:0",service="inference-worker"';
  expect(await scraped([text, 'gpu:0'])).toEqual([
    '# TYPE nv_inference_request_success counter',
    `nv_inference_request_success{model="candidate_cost",version="1",${more}} 12`,
    `nv_inference_request_success{model="a\\"b, {c}",version="1",${more}} 3`,
    '# TYPE nv_inference_compute_infer_summary_us summary',
    `nv_inference_compute_infer_summary_us{model="m",version="1",quantile="0.5",${more}} 1500`,
    `nv_inference_compute_infer_summary_us_sum{model="m",version="1",${more}} 4000`,
    `nv_inference_compute_infer_summary_us_count{model="m",version="1",${more}} 2`,
    '# TYPE nv_pinned_memory_pool_used_bytes gauge',
    `nv_pinned_memory_pool_used_bytes{${more}} 0`,
  ]);
});

test('several engines have a series each under one name', async () => {
  const lines = await scraped([text, 'gpu:0'], [text, 'gpu:1']);
  expect(lines.filter((line) => line.startsWith('# TYPE nv_inference_request_success '))).toHaveLength(1);
  expect(lines.filter((line) => line.includes('engine="gpu:1"'))).toHaveLength(6);
});

test('no more than a thousand series are passed on', async () => {
  const rows = Array.from({ length: 1_500 }, (_, i) => `nv_inference_count{model="m${i}",version="1"} 1`);
  const lines = await scraped([`# TYPE nv_inference_count counter\n${rows.join('\n')}\n`, 'cpu']);
  expect(lines).toHaveLength(1 + 1_000);
});
