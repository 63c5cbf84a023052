/**
 * The bytes in a buffer of their own: a slice keeps the whole buffer in memory that it is a part of (a fetch response
 * of megabytes, say), and takes it along to another thread.
 */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.byteLength === bytes.buffer.byteLength) return bytes;
  const own = Buffer.allocUnsafeSlow(bytes.byteLength);
  bytes.copy(own);
  return own;
}
