import assert from 'node:assert/strict';
import { test } from 'node:test';
import { saysNoNetwork } from '../setup/tensorrt-headers.mjs';

test('only what Cargo says of a missing network is one', () => {
  for (const text of [
    'warning: spurious network error: [7] Could not connect to server (Failed to connect to 127.0.0.1 port 9)',
    '[6] Could not resolve hostname (Could not resolve host: index.example)',
    '[28] Timeout was reached (Connection timed out after 30000 milliseconds)',
    '[56] Failure when receiving data from the peer (CONNECT tunnel failed, response 403)',
  ]) {
    assert.ok(saysNoNetwork(text), text);
  }
  for (const text of [
    'warning: spurious network error: Could not connect\nerror: failed to verify the checksum of `trtx-sys`',
    "TensorRT's headers differ from headers.sha256:\n  NvInfer.h has another checksum",
    'error: failed to verify the checksum of `trtx-sys v0.1.0`',
    'error: failed to select a version for the requirement `trtx-sys = "=9.9.9"`',
    'cargo could not be started: spawn cargo EACCES',
    'the headers can not be written: no space left on device',
  ]) {
    assert.ok(!saysNoNetwork(text), text);
  }
});
