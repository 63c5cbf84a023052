import { connect } from 'node:net';
import { loopback } from './ports';

/** Sends `request` to a local port; the first bytes of the answer, or null when none comes in time. */
function askPort(port: number, request: Buffer, timeoutMs = 500): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const socket = connect(port, loopback);
    const finish = (answer: Buffer | null): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(timeoutMs, () => finish(null));
    socket.once('connect', () => socket.write(request));
    socket.once('data', finish);
    socket.once('error', () => finish(null));
    socket.once('close', () => finish(null));
  });
}

/** Kafka ApiVersions v0: size, api key 18, version 0, correlation id 1, no client id. */
const apiVersions = Buffer.from([0, 0, 0, 10, 0, 18, 0, 0, 0, 0, 0, 1, 0xff, 0xff]);

/** True when a broker answers requests at the port (it listens earlier than it serves). */
export async function brokerAnswers(port: number): Promise<boolean> {
  const answer = await askPort(port, apiVersions);
  return answer !== null && answer.length >= 8 && answer.readInt32BE(4) === 1;
}

export async function redisAnswers(port: number): Promise<boolean> {
  const answer = await askPort(port, Buffer.from('PING\r\n'));
  return answer !== null && answer.toString('latin1').startsWith('+PONG');
}
