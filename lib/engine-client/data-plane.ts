/** The socket for sessions of shared memory lies beside the engine's own. */
export function dataPlaneSocket(engineSocket: string): string {
  return `${engineSocket}.shm`;
}

/** Where the payload of a request lies; `frame_since_empty`: in the frame, since the pool had no slot. */
export const sendPaths = ['slot', 'frame', 'frame_since_empty'] as const;
export type SendPath = (typeof sendPaths)[number];
