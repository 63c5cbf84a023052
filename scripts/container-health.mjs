import { request as plain } from 'node:http';
import { request as secure } from 'node:https';

/**
 * node scripts/container-health.mjs PORT: exit status 0 when /readyz answers 200. The certificate isn't looked at:
 * this is asked inside of the container, of itself, by an address that is in no certificate.
 */
const [isTls, port] = [Boolean(process.env.ROUNDHOUSE_TLS_CERT), process.argv[2]];
const options = { host: '127.0.0.1', port, path: '/readyz', rejectUnauthorized: false, timeout: 2_500 };

process.exitCode = 1;
const asked = (isTls ? secure : plain)(options, (response) => {
  process.exitCode = response.statusCode === 200 ? 0 : 1;
  response.resume();
});
asked.on('timeout', () => asked.destroy());
asked.on('error', () => undefined);
asked.end();
