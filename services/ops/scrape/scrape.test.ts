import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { TextFetcher } from './fetch-text';
import { incidentReport } from './incident-report';
import { findInstances, Names } from './instances';
import { readSeries } from './prometheus-text';
import { scrapeService } from './scrape-service';

describe("Prometheus' text", () => {
  const wanted = new Set(['a', 'b']);
  test('the wanted series, with their labels as they were meant', () => {
    const text =
      '# HELP a x\n# TYPE a gauge\na{x="1",y="q\\"\\\\\\n"} 2.5\na_total 7\nb 3\nb{le="+Inf"} +Inf 17\nc 1';
    expect(readSeries(text, wanted)).toEqual([
      { id: 'a{x="1",y="q\\"\\\\\\n"}', name: 'a', labels: { x: '1', y: 'q"\\\n' }, value: 2.5 },
      { id: 'b', name: 'b', labels: {}, value: 3 },
      { id: 'b{le="+Inf"}', name: 'b', labels: { le: '+Inf' }, value: Infinity },
    ]);
  });

  test.each(['', '\n\n', 'a', 'a{', 'a{x="1"', '{', 'a{x=1} ', '\0'])(
    '%j has none and breaks nothing',
    (text) => {
      expect(readSeries(text, wanted)).toEqual([]);
    },
  );

  test('a text that is none of ours takes no time, and no room', () => {
    // Looked for from each of its letters, the end of a label took 4e6² / 2 steps.
    const letters = 'a'.repeat(4_000_000);
    const odd = `a{${letters}} 1\na{${'x="'.repeat(1_300)}} 2\na{x="1",${'a'.repeat(4_000)}} 3`;
    expect(readSeries(odd, wanted).map(({ value, labels }) => [value, labels])).toEqual([
      [2, { x: 'x=' }],
      [3, { x: '1' }],
    ]);
  });
});

describe('processes', () => {
  test('one a target, or one an address of its name', async () => {
    const addresses = async (host: string) => {
      if (host === 'gone') throw new Error('ENOTFOUND');
      return ['10.0.0.1', '::1'];
    };
    const targets = [
      { name: 'ingest', url: 'http://a:1' },
      { name: 'worker', url: 'dns+http://workers:2' },
      { name: 'other', url: 'dns+https://gone:3' },
    ];
    expect(await findInstances(targets, new Names(addresses))).toEqual([
      { name: 'ingest', url: 'http://a:1' },
      { name: 'worker@10.0.0.1', url: 'http://10.0.0.1:2', hostname: 'workers' },
      { name: 'worker@::1', url: 'http://[::1]:2', hostname: 'workers' },
      { name: 'other', url: 'https://gone:3' },
    ]);
  });

  test.each(['127.0.0.1', '[::1]'])('%s is an address, and no name of a certificate', async (host) => {
    const names = new Names(async () => ['127.0.0.1']);
    const [found] = await findInstances([{ name: 'worker', url: `dns+https://${host}:1` }], names);
    expect(found).toEqual({ name: 'worker@127.0.0.1', url: 'https://127.0.0.1:1' });
  });
});

test('while no resolver answers a name stands for the addresses that it had', async () => {
  let answer = (): void => undefined;
  const answers = {
    there: () => Promise.resolve(['10.0.0.1']),
    broken: () => Promise.reject(Object.assign(new Error('again'), { code: 'EAI_AGAIN' })),
    gone: () => Promise.reject(Object.assign(new Error('none'), { code: 'ENOTFOUND' })),
    silent: () => new Promise<string[]>((resolve) => (answer = () => resolve(['10.0.0.2']))),
  };
  let asked = 0;
  let now: keyof typeof answers = 'there';
  const names = new Names(() => (asked++, answers[now]()), 5);
  const seen = async (how: keyof typeof answers): Promise<readonly string[]> => {
    now = how;
    return names.addressesOf('workers');
  };
  expect(await seen('broken')).toEqual([]);
  expect(await seen('there')).toEqual(['10.0.0.1']);
  expect(await seen('broken')).toEqual(['10.0.0.1']);
  expect(await seen('silent')).toEqual(['10.0.0.1']);
  expect(await seen('silent')).toEqual(['10.0.0.1']);
  expect(asked).toBe(4); // the last one waited for the answer to the one before
  answer();
  expect(await seen('silent')).toEqual(['10.0.0.2']);
  await turn();
  expect(await seen('gone')).toEqual([]);
  expect(await seen('broken')).toEqual([]);
});

describe('a process is asked', () => {
  const fetcher = new TextFetcher();
  let server: Server;
  let answer: RequestListener;
  let url: string;
  beforeAll(async () => {
    server = createServer((request, response) => answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    fetcher.close();
    server.closeAllConnections();
    server.close();
  });
  const look = () => scrapeService(fetcher, { name: 'worker', url });
  const status = { engines: [{ id: 'cpu' }], incidents: [{ id: 'x' }] };

  test('and tells of its checks, its metrics and its engines', async () => {
    answer = ({ url: path }, response) => {
      if (path === '/readyz') response.writeHead(503).end('{"ready":false,"reasons":{"engine":"down"}}');
      else if (path === '/status') response.end(JSON.stringify(status));
      else response.end('dispatch_engine_pid{service="inference-worker"} 7\n');
    };
    expect(await look()).toMatchObject({ fault: null, reasons: { engine: 'down' }, ...status });
  });

  test('and answers something else', async () => {
    answer = (_, response) => response.end('<html>');
    expect(await look()).toMatchObject({ fault: 'an answer that is not ours', series: [] });
  });

  test.each([
    ['null', 'null'],
    ['{"reasons":null,"warnings":[1]}', '{"engines":null,"incidents":{}}'],
    ['{"reasons":{"a":5},"warnings":"x"}', '{"engines":"abc","incidents":[null,{"id":5},{"kind":"hang"}]}'],
    ['[]', '[{"engines":[1]}]'],
  ])('and answers %s and %s: nothing that breaks a console', async (readyz, said) => {
    answer = ({ url: path }, response) =>
      void response.end(
        path === '/readyz'
          ? readyz
          : path === '/status'
            ? said
            : 'dispatch_engine_pid{service="inference-worker"} 7\n',
      );
    const nothing = { fault: null, reasons: {}, warnings: {}, engines: [], incidents: [] };
    expect(await look()).toMatchObject(nothing);
  });

  test('and leaves out what the console shows of an engine and an incident', async () => {
    answer = ({ url: path }, response) =>
      void response.end(
        path === '/status'
          ? '{"engines":[{"id":"cpu"}],"incidents":[{"id":"x","engine":{"pid":"7"}}]}'
          : path === '/readyz'
            ? '{}'
            : 'dispatch_engine_pid{service="inference-worker"} 7\n',
      );
    expect(await look()).toMatchObject({
      engines: [{ id: 'cpu', state: '', reason: '', device: '', incarnation: 0 }],
      incidents: [{ id: 'x', kind: '', reaction: '', engine: { pid: 0, exitCode: null, signal: null } }],
    });
  });

  describe('for a report', () => {
    const report = (id: string) => incidentReport([{ name: 'worker', url }], 'worker', id);
    const whole = '{"kind":"hang","role":"active","at":"2026","reaction":"replaced"}';

    test('and answers it, or that it has none', async () => {
      answer = ({ url: path }, response) => {
        if (path === '/incidents/here') response.end(whole);
        else response.writeHead(404).end('{}');
      };
      expect(await report('here')).toMatchObject({ kind: 'hang' });
      expect([await report('..'), await report('gone')]).toEqual([null, null]);
      expect(await incidentReport([], 'worker', 'here')).toBeNull();
    });

    test.each([
      'null',
      '<html>',
      '[]',
      '{}',
      whole.replace('}', ',"requests":[null]}'),
      whole.replace('}', ',"engine":5}'),
    ])('and answers %s', async (text) => {
      answer = (_, response) => void response.end(text);
      await expect(report('here')).rejects.toThrow('an answer that is not ours');
    });
  });

  test('and answers without end', async () => {
    answer = (_, response) => {
      const more = (): void =>
        void (response.write('x'.repeat(1 << 20)) ? setImmediate(more) : response.once('drain', more));
      response.on('error', () => undefined);
      more();
    };
    expect((await look()).fault).toContain('more than 8388608 bytes');
  });

  test('and does not answer', async () => {
    answer = () => undefined;
    expect((await look()).fault).toBe('no answer in 2500 ms');
  });

  test('and is not there', async () => {
    const instance = { name: 'worker', url: 'http://127.0.0.1:1' };
    expect((await scrapeService(fetcher, instance)).fault).toBe('nobody listens there');
  });
});
