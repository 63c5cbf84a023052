'use strict';

module.exports = async function stopShared() {
  await globalThis.sharedPipeline?.stop();
};
