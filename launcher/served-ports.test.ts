import { createServer, type Server } from 'node:net';
import type { AddressInfo } from 'node:net';
import { RoundhouseError } from '#schemas/errors';
import { requireFreePorts } from './ports';
import { serviceKinds, wantedPorts } from './service-process';

const listening = async (): Promise<[Server, number]> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return [server, (server.address() as AddressInfo).port];
};

test('every port in use is named with the variable that changes it', async () => {
  const [[http, httpPort], [grpc, grpcPort]] = [await listening(), await listening()];
  const wanted = wantedPorts({ ingest: { http: httpPort, grpc: 0 }, worker: { http: 0, grpc: grpcPort } });
  const error = await requireFreePorts(wanted).catch((reason: unknown) => reason);
  http.close();
  grpc.close();
  expect(error).toBeInstanceOf(RoundhouseError);
  expect((error as RoundhouseError).code).toBe('PORT_IN_USE');
  expect((error as RoundhouseError).message).toBe(
    `port ${httpPort} is in use: set ROUNDHOUSE_INGEST_HTTP_PORT to another\n` +
      `port ${grpcPort} is in use: set ROUNDHOUSE_WORKER_GRPC_PORT to another`,
  );
});

test('free ports, any port and a number that is none pass: the services say what they make of it', async () => {
  const [server, port] = await listening();
  await new Promise((resolve) => server.close(resolve));
  await requireFreePorts(
    wantedPorts({ ingest: { http: port }, aggregator: { http: 0 }, worker: { grpc: NaN } }),
  );
});

test('the variables are those of the services', () => {
  const all = { http: 1, grpc: 2, kserveHttp: 3, metrics: 4, peer: 5 };
  const variables = wantedPorts({ ingest: all, worker: all, aggregator: all, ops: all }).map(
    ({ variable }) => variable,
  );
  expect(variables.sort()).toEqual(
    Object.values(serviceKinds)
      .flatMap(({ portKeys }) => Object.values(portKeys))
      .sort(),
  );
});
