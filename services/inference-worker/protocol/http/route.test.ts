import { HttpFault } from './http-fault';
import { routeOf } from './route';

test.each([
  ['GET', '/v2', 'serverMetadata', '', ''],
  ['GET', '/v2/models/a%2Fb/versions/3/ready?x=1', 'modelReady', 'a/b', '3'],
  ['POST', '/v2/models/a/infer', 'modelInfer', 'a', ''],
  ['GET', '/v2/models/stats', 'modelStatistics', '', ''],
  ['POST', '/v2/repository/models/a/load', 'repositoryLoad', 'a', ''],
  ['POST', '/v2/systemsharedmemory/region/r/register', 'regionRegister', 'r', ''],
  ['GET', '/v2/systemsharedmemory/status', 'regionStatus', '', ''],
])('%s %s is %s', (method, url, name, subject, version) => {
  expect(routeOf(method, url)).toMatchObject({ name, subject, version });
});

function faultOf(method: string, url: string): HttpFault {
  try {
    routeOf(method, url);
  } catch (error) {
    if (error instanceof HttpFault) return error;
  }
  throw new Error('no fault');
}

test.each([
  ['GET', '/', 404],
  ['GET', '', 404],
  ['GET', 'http://other/v2', 404],
  ['GET', '/v2/', 404],
  ['GET', '/v3', 404],
  ['GET', '/v2/models//ready', 404],
  ['GET', '/v2/models/a/versions', 404],
  ['GET', '/v2/../v2', 404],
  ['GET', '/v2/models/%E0%A4%A', 400],
  ['DELETE', '/v2', 405],
  ['HEAD', '/v2/health/live', 405],
  ['GET', '/v2/models/a/infer', 405],
  ['PURGE', '/v2/repository/index', 405],
  ['GET', '/v2/cudasharedmemory/status', 501],
  ['GET', '/v2/models/a/trace/setting', 501],
  ['GET', '/v2/logging', 501],
])('%s %j is answered with %i', (method, url, status) => {
  expect(faultOf(method, url).status).toBe(status);
});

test('405 says what is allowed', () => {
  expect(faultOf('PUT', '/v2/models/a/infer').headers).toEqual({ allow: 'POST' });
});
