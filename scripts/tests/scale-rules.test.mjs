import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scaleDuration, scaleExpression, scaleRules } from '../ops/scale-rules.mjs';

test('durations are multiplied and never less than a second', () => {
  assert.equal(scaleDuration('5m', 0.1), '30s');
  assert.equal(scaleDuration('1h30m', 0.1), '540s'); // 5,400 s
  assert.equal(scaleDuration('10s', 0.01), '1s');
  assert.equal(scaleDuration('0s', 0.1), '0s');
});

test('of an expression only ranges are changed', () => {
  const expression = 'rate(a{b="[5m]",c=~"x[0-9]"}[5m]) > 5 and max_over_time(y[1h:1m]) > 0.5';
  assert.equal(
    scaleExpression(expression, 0.1),
    'rate(a{b="[5m]",c=~"x[0-9]"}[30s]) > 5 and max_over_time(y[360s:6s]) > 0.5',
  );
});

test('rule files keep everything but their times, and lose the slow groups', () => {
  const rules = [
    '# about',
    'groups:',
    '  - name: a',
    '    interval: 1m',
    '    rules:',
    '      - alert: X',
    '        expr: rate(x[5m]) > 1',
    '        for: 30s',
    '        labels: { severity: warning }',
    '  - name: a-slow',
    '    rules: []',
    '',
  ].join('\n');
  assert.equal(
    scaleRules(rules, 0.1),
    rules
      .replace('1m', '6s')
      .replace('5m', '30s')
      .replace('for: 30s', 'for: 3s')
      .replace(/ {2}- name: a-slow[^]*/, ''),
  );
});
