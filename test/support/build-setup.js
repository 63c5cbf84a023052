'use strict';
const { join } = require('node:path');
const { existsSync } = require('node:fs');

const built = join(__dirname, '..', '..', 'dist', 'launcher', 'pipeline.js');

/**
 * Brings up to date what the tests run as processes: `npm test` has done it already, but a test file run
 * alone gets the present sources too. SKIP_BUILD=1 leaves everything as it is. Reports of engines that tests
 * kill don't push out those of a user.
 */
module.exports = async function buildWhatIsStale() {
  process.env.ROUNDHOUSE_INCIDENT_DIR ??= '.roundhouse/test-incidents';
  if (process.env.SKIP_BUILD) return;
  const { setUp } = await import('../../scripts/setup/index.mjs');
  try {
    await setUp();
  } catch (error) {
    if (!existsSync(built)) throw error;
    console.error(`the tests go on with what is built, since set-up failed:\n${error.message}`);
  }
};
