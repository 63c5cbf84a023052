import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LiveLine } from '../setup/live-line.mjs';

const clear = '\r\u001b[2K';

function written(output, use) {
  let text = '';
  let time = 0;
  const live = new LiveLine({ ...output, write: (part) => (text += part) }, () => time);
  use(live, (ms) => (time += ms));
  return text;
}

const use = (live, pass) => {
  live.line('[1/2] npm packages …');
  live.begin('npm packages');
  live.begin('Redis');
  pass(12_300);
  live.draw();
  live.line('[2/2] Redis … 12 s');
  live.end('Redis');
  live.end('npm packages');
};

test('on a terminal the running steps stand in a last line with their seconds', () => {
  const steps = (seconds) => `${clear}  … npm packages ${seconds} s · Redis ${seconds} s`;
  assert.equal(
    written({ isTTY: true, columns: 80 }, use),
    `[1/2] npm packages …\n${clear}  … npm packages 0 s${steps(0)}${steps(12)}${clear}[2/2] Redis … 12 s\n${steps(12)}${clear}`,
  );
});

test('a narrow terminal gets what fits', () => {
  // 24 columns leave 23: 22 characters and an ellipsis.
  const text = written({ isTTY: true, columns: 24 }, (live) => live.begin('native build (CMake)'));
  assert.equal(text, `${clear}  … native build (CMak…`);
});

test('a terminal that does not know its width counts as one of 80 columns', () => {
  const text = written({ isTTY: true, columns: 0 }, (live) => live.begin('native build (CMake)'));
  assert.equal(text, `${clear}  … native build (CMake) 0 s`);
});

test('elsewhere a step that takes long is a line every 30 s, with what it is at', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let text = '';
  let time = 0;
  const pass = (ms) => {
    time += ms;
    t.mock.timers.tick(ms);
  };
  const at = (name) => (name === 'Redis' ? null : '45%');
  const live = new LiveLine({ write: (part) => (text += part) }, () => time, at);
  live.begin('native build');
  pass(5_000);
  live.begin('Redis');
  pass(24_999);
  assert.equal(text, '');
  pass(1);
  live.line('[1/2] Redis … 25 s');
  live.end('Redis');
  pass(30_000);
  live.end('native build');
  pass(60_000);
  assert.equal(
    text,
    '  … native build 30 s (45%) · Redis 25 s\n[1/2] Redis … 25 s\n  … native build 60 s (45%)\n',
  );
});
