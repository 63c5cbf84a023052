'use strict';
const { join } = require('node:path');
const buildWhatIsStale = require('./build-setup');

/**
 * Runs once before the integration tests of a jest run: dist/ is brought up to date (the services run from
 * it), and one broker and one Redis are started for all test files, unless KAFKA_BROKERS and REDIS_URL
 * name others. Test files find them through `startStack` in stack.ts.
 */
module.exports = async function startShared() {
  await buildWhatIsStale();
  const { startPipeline } = require(join(__dirname, '..', '..', 'dist', 'launcher', 'pipeline.js'));
  const { KAFKA_BROKERS, REDIS_URL } = process.env;
  if (KAFKA_BROKERS && REDIS_URL) return;
  const pipeline = await startPipeline({
    inheritedEnv: process.env,
    ...(KAFKA_BROKERS ? { kafkaBrokers: KAFKA_BROKERS } : {}),
    ...(REDIS_URL ? { redisUrl: REDIS_URL } : {}),
    counts: { ingest: 0, worker: 0, aggregator: 0 },
  });
  process.env.KAFKA_BROKERS = pipeline.kafkaBrokers;
  process.env.REDIS_URL = pipeline.redisUrl;
  globalThis.sharedPipeline = pipeline;
};
