export const asIs = (bytes: Buffer): Buffer => bytes;

/** Messages of a gRPC method left as bytes, on both sides. */
export const opaqueMessages = {
  requestSerialize: asIs,
  requestDeserialize: asIs,
  responseSerialize: asIs,
  responseDeserialize: asIs,
} as const;

/** A call with one message each way, for a server that reads and writes them itself: `/package.Service/Method`. */
export const opaqueMethod = (path: string) => ({
  path,
  requestStream: false,
  responseStream: false,
  ...opaqueMessages,
});
