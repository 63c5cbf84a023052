import { mayDropCapabilities } from './ends-with-parent';
import { withoutSecrets } from './without-secrets';

test('an engine gets no way to Kafka or Redis, and no secret of anybody', () => {
  const env = {
    PATH: '/usr/bin',
    KAFKA_BROKERS: 'b:9092',
    REDIS_URL: 'redis://u:p@h',
    ROUNDHOUSE_KAFKA_PASSWORD_FILE: '/p',
    ROUNDHOUSE_TLS_KEY: '/k',
    ROUNDHOUSE_PEER_TLS_KEY: '/k',
    ROUNDHOUSE_INGEST_ACCESS_FILE: '/a',
    AWS_SECRET_ACCESS_KEY: 's',
    GITHUB_TOKEN: 't',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer t',
    HTTPS_PROXY: 'http://user:p@proxy:3128',
    MYSQL_PASSWD: 'p',
    APIKEY: 'k',
    HTTP_PROXY: 'http://proxy:3128',
    ROUNDHOUSE_ENGINE_MODELS: 'echo',
    ROUNDHOUSE_MODELS_DIR: 'models',
    LD_LIBRARY_PATH: '/lib',
    CUDA_VISIBLE_DEVICES: '0',
  };
  expect(Object.keys(withoutSecrets(env))).toEqual([
    'PATH',
    'HTTP_PROXY',
    'ROUNDHOUSE_ENGINE_MODELS',
    'ROUNDHOUSE_MODELS_DIR',
    'LD_LIBRARY_PATH',
    'CUDA_VISIBLE_DEVICES',
  ]);
});

test.each([
  ['CapEff:\t000001fffeffffff', true],
  ['CapEff:\t0000000000000100', true], // CAP_SETPCAP is bit 8
  ['CapEff:\t00000000000000ff', false],
  ['CapEff:\t0000000000000000', false],
  ['', false],
])('%j: capabilities can be dropped: %s', (status, may) => {
  expect(mayDropCapabilities(status)).toBe(may);
});
