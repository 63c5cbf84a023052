import { RoundhouseClient } from 'roundhouse/client';

const usage = 'usage: node dist/examples/produce-round.js [URL], of an ingest; default http://127.0.0.1:8080';
const [url = 'http://127.0.0.1:8080', more] = process.argv.slice(2);
if (['--help', '-h'].includes(url)) end(0, usage);
if (url.startsWith('-')) end(2, `unknown flag ${url}\n${usage}`);
if (!/^https?:/.test(url) || !URL.canParse(url)) end(2, `${url}: no http or https address\n${usage}`);
if (more !== undefined) end(2, `${more}: one address is enough\n${usage}`);
/** An API key or a token, where ingest asks for one (docs/security.md). */
const { CREDENTIAL: credential } = process.env;
const client = new RoundhouseClient({ url, ...(credential && { credential }) });
const couriers = [{ courierId: 'ann', position: { x: 13.4, y: 52.52 } }];
const orders = [
  { orderId: 'soup', pickup: { point: { x: 13.39, y: 52.51 } }, dropoff: { point: { x: 13.41, y: 52.53 } } },
];
const round = { roundId: `demo-${Date.now()}`, deadline: Date.now() + 3_000, couriers, orders };

client.dispatch(round).then(
  ({ decision }) =>
    console.log(
      JSON.stringify(decision.content.assignments, (_, v) => (typeof v === 'bigint' ? `${v}` : v), 2),
    ),
  (error) => {
    console.error(`${error.code}: ${error.message}`, ...(error.faults.length > 0 ? [error.faults] : []));
    process.exitCode = 1;
  },
);

function end(status: number, words: string): never {
  (status === 0 ? process.stdout : process.stderr).write(`${words}\n`);
  process.exit(status);
}
