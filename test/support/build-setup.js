'use strict';
const { join } = require('node:path');
const { existsSync } = require('node:fs');

const built = join(__dirname, '..', '..', 'dist', 'launcher', 'pipeline.js');

/**
 * Brings up to date what the tests run as processes: `npm test` has done it already, but a test file run
 * alone gets the present sources too. SKIP_BUILD=1 leaves everything as it is.
 */
module.exports = async function buildWhatIsStale() {
  if (process.env.SKIP_BUILD) return;
  const { setUp } = await import('../../scripts/setup/index.mjs');
  try {
    await setUp();
  } catch (error) {
    if (!existsSync(built)) throw error;
    console.error(`the tests go on with what is built, since set-up failed:\n${error.message}`);
  }
};
